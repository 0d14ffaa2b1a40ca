import { resolve } from 'node:path';
import type { InputFile } from '../../bulk/input-file.ts';
import type { JobDescription, JobInput, JobTarget, TargetFlags } from '../../bulk/journal/description.ts';
import {
  createJobFolder,
  type JobFolder,
  lockJob,
  markBegun,
  pruneJobs,
  removeJob,
} from '../../bulk/journal/folder.ts';
import { Journal } from '../../bulk/journal/journal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Context, GlobalOptions } from '../context.ts';
import { EMBEDDED } from '../embedded.ts';
import { given } from '../option-values.ts';
import type { BulkRequest } from './request.ts';
import type { Work } from './work.ts';

/** A job that this process runs, and that no other may. */
export interface OpenJob {
  readonly description: JobDescription;
  readonly journal: Journal;
  /** Absent for a run that is over too soon to be resumed: its journal is in memory. */
  readonly place: JobPlace | undefined;
}

/** The folder of a job, held by this process. */
export interface JobPlace {
  readonly folder: JobFolder;
  release(): void;
}

/** Makes a job's folder and takes its lock; finished jobs of long ago go. */
export async function openPlace({ folders, clock }: Context, job: string): Promise<JobPlace> {
  const folder = await createJobFolder(folders, job);
  const release = await lockJob(folder, clock);
  await pruneJobs(folders, clock);
  return { folder, release };
}

/** Takes away a job that came to nothing. */
export async function discardPlace({ folder, release }: JobPlace, clock: Clock): Promise<void> {
  release();
  await removeJob(folder, clock);
}

interface Beginning {
  readonly job: string;
  readonly operation: string;
  readonly request: BulkRequest;
  readonly work: Work;
}

/** What a job remembers of its beginning. */
export async function describeJob(
  context: Context,
  { job, operation, request, work }: Beginning,
): Promise<JobDescription> {
  const { input: source, survey } = work.input;
  const { [work.calls.fields.list]: _records, ...data } = request.data;
  return {
    job,
    operation,
    data,
    options: { ...request.options },
    cwd: context.cwd,
    target: await jobTarget(context),
    inputs: source.files.map((file, at) => asItWas(file, survey.files[at]?.first ?? 0)),
    records: survey.records,
    leftOut: survey.leftOut,
    startedAt: context.clock.now(),
  };
}

function asItWas(file: InputFile, first: number): JobInput {
  const { name, path = '', spooled, format } = file;
  return { name, first, path, spooled, format, ...file.identity() };
}

export async function beginJob(description: JobDescription, place: JobPlace | undefined): Promise<OpenJob> {
  if (place) await markBegun(place.folder);
  return { description, place, journal: await Journal.create(description, place?.folder.journal) };
}

/** Whom this run sends to, as a job remembers it. */
export async function jobTarget({ options, cwd, openSettings }: Context): Promise<JobTarget> {
  if (options.local) {
    const { storeName } = await import('../../service/store/location.ts');
    const store = options.store === undefined ? null : storeName(options.store);
    return { profile: null, origin: EMBEDDED, apiKey: null, store };
  }
  const { profile, baseUrl, apiKey } = await openSettings();
  const target = { profile: profile?.value ?? null, origin: baseUrl?.value ?? '', apiKey: apiKey?.value ?? null };
  const flags = targetFlags(options, cwd);
  return Object.keys(flags).length > 0 ? { ...target, flags } : target;
}

function targetFlags({ baseUrl, caFile, insecureHttp }: GlobalOptions, cwd: string): TargetFlags {
  return {
    ...given('baseUrl', baseUrl),
    ...given('caFile', caFile === undefined ? undefined : resolve(cwd, caFile)),
    ...(insecureHttp && { insecureHttp }),
  };
}
