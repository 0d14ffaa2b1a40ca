import { findJob } from '../../../bulk/journal/job-folder.ts';
import { hint, SvcError, step } from '../../../kernel/errors.ts';
import { resolveOutputPath } from '../../../kernel/named-file.ts';
import { isExistingFileError, openOutputFile } from '../../../kernel/output-file.ts';
import type { Context } from '../../context.ts';
import type { Invocation } from '../../definition.ts';
import { type JobReceipt, readReceipt } from '../receipt/read-receipt.ts';
import { renderReport } from './render-report.ts';

/** Runs `svc jobs report`. @throws SvcError `usage` without `--html`, and like `writeReport` */
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
  await writeReport(context, await readReceipt(await findJob(context.folders, job)), options.file);
}

/**
 * Writes the page of a job to a new file, or to stdout if the file is `-`.
 * @throws SvcError `usage` if the file exists, `local` if it cannot be written
 */
export async function writeReport(
  context: Context,
  receipt: JobReceipt,
  file = `${receipt.id}.html`,
): Promise<void> {
  const page = await renderReport(receipt);
  if (file === '-') return context.io.stdout.write(page);
  await writeNewFile(resolveOutputPath(file, context.cwd), file, page, context.signal);
  await context.note(`wrote ${file}`);
}

async function writeNewFile(
  path: string,
  shown: string,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const output = await openOutputFile(path, { existing: 'fail', signal }).catch(
    (error: unknown) => {
      if (!isExistingFileError(error)) throw error;
      throw new SvcError('usage', `${shown} already exists`, {
        hint: 'choose another file with --file, or delete the existing one',
      });
    },
  );
  try {
    await output.write(text);
    await output.sync();
  } catch (error) {
    await output.discard().catch(() => undefined); // report the first failure
    throw error;
  }
  await output.close();
}
