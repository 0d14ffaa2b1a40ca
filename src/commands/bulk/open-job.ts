import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { InputFile } from '../../bulk/input-file.ts';
import type { JobDescription, JobInput } from '../../bulk/journal/job-description.ts';
import {
  createJobFolder,
  type JobFolder,
  lockJob,
  markStarted,
  pruneJobs,
  removeJob,
} from '../../bulk/journal/job-folder.ts';
import { Journal } from '../../bulk/journal/journal.ts';
import { readAttribution } from '../../kernel/attribution.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Hint, hint, step, stepWithPlaceholder } from '../../kernel/errors.ts';
import { describeJobTarget } from '../connection/describe-target.ts';
import type { ConnectedCommand, ProcessEnvironment } from '../context.ts';
import type { BulkRequest } from './bulk-request.ts';
import type { SendPlan } from './pending-records.ts';

export interface OpenJob {
  readonly description: JobDescription;
  readonly journal: Journal;
  /**
   * Undefined for a run without input files, which keeps its journal in memory and cannot be
   * resumed.
   */
  readonly lockedFolder: LockedJobFolder | undefined;
}

/** The folder of a job that no other process runs until `release`. */
export interface LockedJobFolder {
  readonly folder: JobFolder;
  readonly release: () => void;
}

/** Creates and locks a job's folder. Deletes old finished jobs. */
export async function createLockedFolder(
  { folders, clock }: ProcessEnvironment,
  job: string,
): Promise<LockedJobFolder> {
  const folder = await createJobFolder(folders, job);
  const release = await lockJob(folder, clock);
  await pruneJobs(folders, clock);
  return { folder, release };
}

export async function discardJob(
  { folder, release }: LockedJobFolder,
  clock: Clock,
): Promise<void> {
  release();
  await removeJob(folder, clock);
}

export async function describeJob(
  context: ConnectedCommand,
  job: string,
  operation: string,
  request: BulkRequest,
  plan: SendPlan,
): Promise<JobDescription> {
  const { input: source, check } = plan.input;
  return {
    job,
    operation,
    data: plan.calls.data,
    options: { ...request.options },
    cwd: context.cwd,
    target: await describeJobTarget(context),
    inputs: source.files.map((file, at) => ({
      ...describeInput(file, check.files[at]?.first ?? 0),
      ...(request.copies && { spooled: true }),
    })),
    records: check.records,
    leftOut: check.skipped,
    startedAt: context.clock.now(),
    startedBy: readAttribution(context.environment),
  };
}

/** Returns the path of an input that is missing or has another size, so that no resume can read it. */
export async function findLostInput({ inputs, cwd }: JobDescription): Promise<string | undefined> {
  for (const { path, bytes } of inputs) {
    const stats = await stat(resolve(cwd, path)).catch(() => undefined);
    if (stats?.size !== bytes) return path;
  }
  return undefined;
}

/** Tells how to continue a stopped job. */
export function createResumeHint(
  job: string,
  lostInput: string | undefined,
  needsRejectsPath = false,
): Hint {
  if (lostInput !== undefined)
    return hint`the job cannot be resumed without the original ${lostInput}: restore the file, or run ${step('inspect', 'jobs', 'remove', job)}`;
  const words = ['jobs', 'resume', job] as const;
  return needsRejectsPath
    ? hint`to resume, run ${stepWithPlaceholder('resume', [...words, '--rejects'], '<path>')}`
    : hint`to resume, run ${step('resume', ...words)}`;
}

/** @param first index of the file's first record */
export function describeInput(
  { name, path = '', spooled, format, fingerprint }: InputFile,
  first: number,
): JobInput {
  return { name, first, path, spooled, format, ...fingerprint() };
}

export async function startJob(
  description: JobDescription,
  lockedFolder: LockedJobFolder | undefined,
): Promise<OpenJob> {
  if (lockedFolder) await markStarted(lockedFolder.folder);
  return {
    description,
    lockedFolder,
    journal: await Journal.create(description, lockedFolder?.folder.journal),
  };
}
