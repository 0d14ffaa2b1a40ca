import { findJob, listJobNames } from '../../bulk/journal/job-folder.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { supportsUnicode } from '../terminal/terminal.ts';
import { readReceipt } from './receipt/read-receipt.ts';
import { renderReceipt } from './receipt/render-receipt.ts';
import type { ReportOptions } from './report/write-report.ts';

/**
 * Shows a job, by default the last one.
 * @throws SvcError `usage` if there is no such job, or for `--file` without `--html`
 */
export async function showJob(
  context: Context,
  {
    arguments: [job],
    options: { html = false, file, force },
  }: Invocation<{ readonly html?: boolean | undefined } & ReportOptions>,
): Promise<void> {
  if (file !== undefined && !html)
    throw new SvcError('usage', '--file requires --html', {
      hint: hint`to print JSON, run ${step('inspect', 'jobs', 'show', ...(job === undefined ? [] : [job]), '-o', 'json')}`,
    });
  const folder = await findJob(context.folders, job ?? (await findLastJob(context)));
  if (html) {
    const { writeReport } = await import('./report/write-report.ts');
    return writeReport(context, folder, { file, force });
  }
  const receipt = await readReceipt(folder);
  const { id, operation, state, input: _input, inputs, paths, ...others } = receipt;
  const files = inputs.map(({ format, bytes, sha256 }, at) => ({
    path: paths[at],
    format,
    bytes,
    sha256,
  }));
  const read = files.length === 1 ? { input: files[0] } : { inputs: files };
  const printer = await context.printer();
  const isAccessible = Boolean(context.environment['ACCESSIBLE']);
  await printer.value(
    { id, operation, state, ...read, ...others },
    {
      renderText: ({ isTerminal, width }) =>
        renderReceipt(receipt, {
          plain: isAccessible || (isTerminal && !supportsUnicode(context)),
          width,
        }),
    },
  );
}

/** Returns the ID of the last job. IDs start with the time of the job. */
async function findLastJob({ folders }: Context): Promise<string> {
  const [last] = await listJobNames(folders);
  if (last === undefined) throw new SvcError('usage', 'there are no jobs');
  return last;
}
