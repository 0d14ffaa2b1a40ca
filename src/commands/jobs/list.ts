import { isUnbegun, jobFolder, jobNames, jobState, openJournal } from '../../bulk/journal/folder.ts';
import { SvcError } from '../../kernel/errors.ts';
import { onePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import { type JobStatus, statusOf } from './status.ts';

/** A job as scripts read it. */
type JobLine = Pick<
  JobStatus,
  | 'id'
  | 'operation'
  | 'state'
  | 'input'
  | 'total'
  | 'succeeded'
  | 'failed'
  | 'unknown'
  | 'skipped'
  | 'startedAt'
  | 'updatedAt'
>;

const COLUMNS = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'OPERATION', field: 'operation' },
  { header: 'STATE', field: 'state', kind: 'state' },
  { header: 'INPUT', field: 'input' },
  { header: 'TOTAL', field: 'total' },
  { header: 'SUCCEEDED', field: 'succeeded' },
  { header: 'FAILED', field: 'failed' },
  { header: 'UNKNOWN', field: 'unknown', extra: true },
  { header: 'SKIPPED', field: 'skipped', extra: true },
  { header: 'STARTED', field: 'startedAt', kind: 'time', extra: true },
] as const;

/** Lists the jobs, the newest first. One whose journal is missing or cannot be read is warned of, and does not hide the others. */
export async function listJobs(context: Context): Promise<void> {
  const lines: JobLine[] = [];
  for (const name of await jobNames(context.folders)) {
    const line = await lineOf(context, name);
    if (line) lines.push(line);
  }
  const printer = await context.printer();
  await printer.records(onePage(lines), { columns: COLUMNS });
  if (lines.length === 0) await context.note('there are no jobs: each run over the records of a file becomes one');
}

async function lineOf(context: Context, name: string): Promise<JobLine | undefined> {
  const folder = jobFolder(context.folders, name);
  if (await isUnbegun(folder)) return undefined;
  try {
    const journal = await openJournal(folder);
    try {
      const { id, operation, state, input, total, succeeded, failed, unknown, skipped, startedAt, updatedAt } =
        statusOf(journal, await jobState(folder, journal));
      return { id, operation, state, input, total, succeeded, failed, unknown, skipped, startedAt, updatedAt };
    } finally {
      journal.close();
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    await context.warn(error.message);
    return undefined;
  }
}
