import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findJob } from '../../bulk/journal/job-folder.ts';
import { hint, SvcError, step, systemErrorCode } from '../../kernel/errors.ts';
import { localFileError } from '../../kernel/files.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { readReceipt } from './receipt/read-receipt.ts';

/** @throws SvcError `usage` if the file exists, or without `--html` */
export async function reportJob(
  context: Context,
  {
    arguments: [job = ''],
    options,
  }: Invocation<{ readonly html?: boolean | undefined; readonly file?: string | undefined }>,
): Promise<void> {
  if (options.html !== true) {
    throw new SvcError('usage', '--html is required', {
      hint: hint`to print the receipt as text: ${step('inspect', 'jobs', 'show', job)}`,
    });
  }
  const { renderReport } = await import('../../../pages/report/render-report.ts');
  const page = await renderReport(await readReceipt(await findJob(context.folders, job)));
  const file = options.file ?? `${job}.html`;
  if (file === '-') return context.io.stdout.write(page);
  await writeNewFile(resolve(context.cwd, file), file, page);
  await context.note(`wrote ${file}`);
}

async function writeNewFile(path: string, shown: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') {
      throw new SvcError('usage', `${shown} already exists`, {
        hint: 'choose another file with --file, or delete the existing one',
      });
    }
    await rm(path, { force: true }).catch(() => undefined); // report the first failure
    throw localFileError('write', shown, error);
  }
}
