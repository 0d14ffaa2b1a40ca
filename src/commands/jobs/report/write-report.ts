import { findJob, type JobFolder } from '../../../bulk/journal/job-folder.ts';
import { hint, SvcError, step } from '../../../kernel/errors.ts';
import { resolveOutputPath } from '../../../kernel/named-file.ts';
import { writeOutputFile } from '../../../kernel/output-file.ts';
import type { Context } from '../../context.ts';
import type { Invocation } from '../../definition.ts';
import { checkOutputs, jobFiles } from '../../outputs/check-outputs.ts';
import { readReceipt } from '../receipt/read-receipt.ts';
import { renderReport } from './render-report.ts';

/** Runs `svc jobs report`. @throws SvcError `usage` without `--html`, and like `writeReport` */
export async function reportJob(
  context: Context,
  {
    arguments: [job = ''],
    options,
  }: Invocation<{ readonly html?: boolean | undefined } & ReportOptions>,
): Promise<void> {
  if (options.html !== true) {
    throw new SvcError('usage', '--html is required', {
      hint: hint`to print the receipt as text, run ${step('inspect', 'jobs', 'show', job)}`,
    });
  }
  await writeReport(context, await findJob(context.folders, job), options);
}

export interface ReportOptions {
  readonly file?: string | undefined;
  readonly force?: boolean | undefined;
}

/**
 * Writes the page of a job to a file, or to stdout if the file is `-`.
 * @throws SvcError `usage` if the file is not a page of a job, `local` if it cannot be written
 */
export async function writeReport(
  context: Context,
  folder: JobFolder,
  { file = `${folder.job}.html`, force = false }: ReportOptions,
): Promise<void> {
  if (file !== '-')
    await checkOutputs(context, {
      inputs: jobFiles(folder),
      outputs: [{ name: '--file', file, use: 'report' }],
      force,
    });
  const receipt = await readReceipt(folder);
  const page = await renderReport(receipt);
  if (file === '-') return context.io.stdout.write(page);
  const { cwd, signal } = context;
  await writeOutputFile(resolveOutputPath(file, cwd), page, { mode: 0o600, signal });
  await context.note(`Wrote ${file}`);
}
