import type { ExistingCounts } from '../../bulk/existing-records.ts';
import { isUnstarted, jobFolderOf, listJobNames, openJournal, readJobState } from '../../bulk/journal/job-folder.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { type JobStatus, readStatus } from './status.ts';

export type JobListEntry = Omit<JobStatus, keyof ExistingCounts | 'requests' | 'retries' | 'description' | 'run' | 'metrics'>;

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
      const status = readStatus(journal, await readJobState(folder, journal));
      const { existing, updated, unchanged, requests, retries, description, run, metrics, ...entry } = status;
      return entry;
    } finally {
      journal.close();
    }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    await context.warn(error.message);
    return undefined;
  }
}
