import { createDamagedError } from '../../bulk/journal/database.ts';
import type { JobDescription } from '../../bulk/journal/job-description.ts';
import {
  isUnstarted,
  type JobFolder,
  jobFolderOf,
  listJobNames,
  openJournal,
  readJobState,
} from '../../bulk/journal/job-folder.ts';
import type { JobFacts, Journal } from '../../bulk/journal/journal.ts';
import type { ExistingCounts } from '../../bulk/journal/outcomes.ts';
import { joinFileNames } from '../../bulk/record-position.ts';
import { SvcError } from '../../kernel/errors.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { findLostInput } from '../bulk/open-job.ts';
import type { Context } from '../context.ts';
import { APPLY } from '../settings/job-context.ts';

type JobState = 'running' | 'stopped' | 'done';

/**
 * The progress of a job. Unless it is running, the succeeded, failed, unknown, and skipped records
 * add up to `total`.
 */
export interface JobStatus extends ExistingCounts {
  readonly id: string;
  readonly operation: string;
  readonly state: JobState;
  readonly input: string;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly unknown: number;
  readonly skipped: number;
  readonly requests: number;
  readonly retries: number;
  /** RFC 3339. */
  readonly startedAt: string;
  /** End of the last run, or its last recorded activity, in RFC 3339. */
  readonly updatedAt: string;
  readonly description: JobDescription;
  readonly run: JobFacts['run'] | undefined;
  readonly metrics: JobFacts['metrics'] | undefined;
}

export function readStatus(journal: Journal, state: JobState): JobStatus {
  const description = journal.getFact('job');
  if (!description) throw createDamagedError(journal.path);
  const [run, metrics, counts] = [
    journal.getFact('run'),
    journal.getFact('metrics'),
    journal.counts(),
  ];
  const { records, leftOut, startedAt } = description;
  const blocked = journal.getFact('blocked')?.length ?? 0;
  const { succeeded, open, existing, updated, unchanged } = counts;
  // Records that were in flight when a run was killed may have been applied.
  const unknown = counts.unknown + (state === 'running' ? 0 : open);
  const unsent = state === 'running' ? 0 : records - succeeded - counts.failed - unknown - existing;
  return {
    id: description.job,
    operation: description.operation,
    state,
    input: joinFileNames(description.inputs),
    total: records + leftOut + blocked,
    succeeded,
    failed: counts.failed + blocked,
    unknown,
    skipped: leftOut + unsent + existing,
    existing,
    updated,
    unchanged,
    requests: counts.requests + (metrics?.strayRequests ?? 0),
    retries: counts.retries + (metrics?.strayRetries ?? 0),
    startedAt: new Date(startedAt).toISOString(),
    updatedAt: new Date(run?.endedAt ?? startedAt).toISOString(),
    description,
    run,
    metrics,
  };
}

/** Finds the lost input of any job. A job that applies a plan reads only the plan. */
export async function findLostJobInput(description: JobDescription): Promise<string | undefined> {
  return description.operation === APPLY ? undefined : findLostInput(description);
}

export type JobListEntry = Omit<
  JobStatus,
  | Exclude<keyof ExistingCounts, 'existing'>
  | 'requests'
  | 'retries'
  | 'description'
  | 'run'
  | 'metrics'
>;

/** Reads all started jobs, newest first. Warns about missing and unreadable journals. */
export async function readJobEntries({
  folders,
  warn,
}: Pick<Context, 'folders' | 'warn'>): Promise<readonly JobListEntry[]> {
  const entries: JobListEntry[] = [];
  for (const name of await listJobNames(folders)) {
    const folder = jobFolderOf(folders, name);
    try {
      if (!(await isUnstarted(folder))) entries.push(await readJob(folder, toListEntry));
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      await warn(error.message);
    }
  }
  return entries;
}

/** Opens the journal of a job to read its status. */
export async function readJob<Result>(
  folder: JobFolder,
  read: (status: JobStatus, journal: Journal) => Result | Promise<Result>,
) {
  return closeAfter(await openJournal(folder), async (journal) =>
    read(readStatus(journal, await readJobState(folder, journal)), journal),
  );
}

function toListEntry(status: JobStatus): JobListEntry {
  const { updated, unchanged, requests, retries, description, run, metrics, ...entry } = status;
  return entry;
}
