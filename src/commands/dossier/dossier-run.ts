import type { JobCounters } from '../../bulk/job-counters.ts';
import type { JobRecorder } from '../../bulk/job-recorder.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import type { Metrics } from '../../bulk/journal/metrics.ts';
import type { OpenJob } from '../bulk/open-job.ts';
import type { Context } from '../context.ts';
import type { WrittenFile } from './dossier-files.ts';
import type { ReadCounts } from './read-organization.ts';

export type DossierJob = OpenJob & {
  readonly lockedFolder: NonNullable<OpenJob['lockedFolder']>;
};

/** The person and the organizations of a dossier, as stored in the journal. */
export interface DossierPlan {
  readonly userId: string;
  /** Absolute path of the folder. */
  readonly folder: string;
  readonly organizationIds: readonly string[];
}

/** A file with the data in one organization. */
export interface OrganizationFile extends WrittenFile, ReadCounts {
  readonly organizationId: string;
  /** RFC 3339. */
  readonly readAt: string;
}

/** A run of a job that writes a dossier. */
export interface DossierRun {
  readonly context: Context;
  readonly job: DossierJob;
  readonly plan: DossierPlan;
  readonly counters: JobCounters;
  readonly metrics: Metrics;
  readonly recorder: JobRecorder;
  inFlight: number;
}

/** Returns the file of an organization by its index, if a run has written it. */
export function getFile(journal: Journal, at: number): OrganizationFile | undefined {
  return journal.getFact(`read:${at}`) as OrganizationFile | undefined;
}

/** Returns the files of all organizations that were read, in the order of the plan. */
export function listFiles({ job: { journal }, plan }: DossierRun): readonly OrganizationFile[] {
  const failed = new Set(Array.from(journal.unsuccessfulRecords(), ({ at }) => at));
  const read = Array.from(journal.sentBatches(), ({ first }) => first);
  return read
    .filter((at) => !failed.has(at) && at < plan.organizationIds.length)
    .flatMap((at) => getFile(journal, at) ?? []);
}

/** Adds up the records of files by the name of their list. */
export function countRecords(files: readonly OrganizationFile[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const file of files)
    for (const [list, count] of Object.entries(file.counts))
      counts.set(list, (counts.get(list) ?? 0) + count);
  return Object.fromEntries(counts);
}

export const DOSSIER = 'users.dossier';
export const ORGANIZATION = 'organization';
