import { open, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findJob } from '../../../bulk/journal/folder.ts';
import { SvcError, systemErrorCode } from '../../../kernel/errors.ts';
import { localFileError } from '../../../kernel/files.ts';
import { hint, step } from '../../../kernel/hint.ts';
import type { Context } from '../../context.ts';
import type { Invocation } from '../../definition.ts';
import { textValue } from '../../option-values.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { reportPage } from './page.ts';

/**
 * Writes the report of a job: to a file that does not exist yet, or to stdout.
 * @throws SvcError `usage` when there is a file of that name
 */
export async function reportJob(context: Context, { arguments: [job = ''], options }: Invocation): Promise<void> {
  if (options['html'] !== true) {
    throw new SvcError('usage', 'say in which form the report is to be', {
      hint: hint`add --html; ${step('inspect', 'jobs', 'show', job)} prints the receipt`,
    });
  }
  const page = reportPage(await readReceipt(await findJob(context.folders, job)));
  const file = textValue(options, 'file') ?? `${job}.html`;
  if (file === '-') return context.io.stdout.write(page);
  await writeNew(resolve(context.cwd, file), file, page);
  await context.note(`wrote ${file}`);
}

/** Nothing is left of a file that could not be written whole. */
async function writeNew(path: string, shown: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'EEXIST') throw localFileError('write', shown, error);
    throw new SvcError('usage', `${shown} is there already`, { hint: 'name another file with --file, or remove it' });
  });
  try {
    await file.writeFile(text);
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw localFileError('write', shown, error);
  }
}
