import { isUnstarted, jobFolderOf, listJobNames, openJournal, readJobState } from '../../bulk/journal/job-folder.ts';
import { SvcError } from '../../kernel/errors.ts';
import { singlePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { JOB_COLUMNS } from './columns.ts';
import type { ListFlags } from './flags.ts';
import { type JobStatus, readStatus } from './status.ts';

/** A job in the output of `jobs list`. */
export type JobListEntry = Pick<
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

/** Lists jobs, newest first. A missing or unreadable journal causes a warning. */
export async function listJobs(context: Context, { options }: Invocation<ListFlags>): Promise<void> {
  if (options.watch) return (await import('./watch-list.ts')).watchJobs(context);
  const lines = await readEntries(context);
  const printer = await context.printer();
  await printer.records(singlePage(lines), { columns: JOB_COLUMNS });
  if (lines.length === 0) await context.note('no jobs found; each bulk command with --file creates a job');
}

/** Reads all jobs that have sent something, newest first. */
export async function readEntries(context: Context): Promise<readonly JobListEntry[]> {
  const entries: JobListEntry[] = [];
  for (const name of await listJobNames(context.folders)) {
    const entry = await readEntry(context, name);
    if (entry) entries.push(entry);
  }
  return entries;
}

async function readEntry(context: Context, name: string): Promise<JobListEntry | undefined> {
  const folder = jobFolderOf(context.folders, name);
  if (await isUnstarted(folder)) return undefined;
  try {
    const journal = await openJournal(folder);
    try {
      const { id, operation, state, input, total, succeeded, failed, unknown, skipped, startedAt, updatedAt } =
        readStatus(journal, await readJobState(folder, journal));
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
