import { isUnstarted, jobFolderOf, listJobNames, openJournal, readJobState } from '../../bulk/journal/job-folder.ts';
import { SvcError } from '../../kernel/errors.ts';
import { singlePage } from '../../output/renderer.ts';
import type { Context } from '../context.ts';
import { JOB_COLUMNS } from './columns.ts';
import { type JobStatus, readStatus } from './status.ts';

/** A job in the output of `jobs list`. */
type JobListEntry = Pick<
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
export async function listJobs(context: Context): Promise<void> {
  const lines: JobListEntry[] = [];
  for (const name of await listJobNames(context.folders)) {
    const line = await readEntry(context, name);
    if (line) lines.push(line);
  }
  const printer = await context.printer();
  await printer.records(singlePage(lines), { columns: JOB_COLUMNS });
  if (lines.length === 0) await context.note('no jobs found; each bulk command with --file creates a job');
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
