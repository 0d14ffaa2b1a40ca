import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { StopReason } from '../../bulk/batch-request.ts';
import { JobCounters } from '../../bulk/job-counters.ts';
import { JobRecorder } from '../../bulk/job-recorder.ts';
import { Metrics } from '../../bulk/journal/metrics.ts';
import {
  countByOrganization,
  restoreResults,
  writeOutcomeFiles,
} from '../../bulk/outcome-files.ts';
import { createRecordLocator } from '../../bulk/record-position.ts';
import { chooseRejectsFormat, openRejectsFile, type RejectsFile } from '../../bulk/rejects-file.ts';
import { openResultsFile, type ResultsFile } from '../../bulk/results-file.ts';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import { UTF_8 } from '../../bulk/source/text-encoding.ts';
import { type BulkSummary, summarize } from '../../bulk/summary.ts';
import { SvcError } from '../../kernel/errors.ts';
import { resolveOutputPath, shortPath } from '../../kernel/named-file.ts';
import { pluralize } from '../../kernel/plural.ts';
import { createTemporaryPath } from '../../kernel/temporary.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import { createJobError } from './job-error.ts';
import { findLostInput, type OpenJob } from './open-job.ts';
import { readLists, type SendPlan } from './pending-records.ts';

export interface JobRun {
  readonly context: Context;
  readonly job: OpenJob;
  readonly plan: SendPlan;
  readonly files: RunFiles;
  readonly counters: JobCounters;
  readonly metrics: Metrics;
  readonly recorder: JobRecorder;
}

interface RunFiles {
  readonly rejects: RejectsFile | undefined;
  readonly results: ResultsFile | undefined;
}

/**
 * Opens a run and restores the counters of earlier runs.
 * @throws SvcError like `openOutputFiles`
 */
export async function openJobRun(context: Context, job: OpenJob, plan: SendPlan): Promise<JobRun> {
  const files = await openOutputFiles(context, job, plan);
  const { clock } = context;
  const { journal } = job;
  if (plan.newOrganizations) journal.setFact('newOrganizations', plan.newOrganizations);
  const saved = journal.getFact('metrics');
  const counts = journal.counts();
  const requests = counts.requests + (saved?.strayRequests ?? 0);
  const retries = counts.retries + (saved?.strayRetries ?? 0);
  const counters = new JobCounters({ ...counts, requests, retries });
  const metrics = new Metrics(clock.now(), saved);
  const recorder = new JobRecorder({ journal, clock, counters, metrics, results: files.results });
  return { context, job, plan, files, counters, metrics, recorder };
}

/**
 * Opens the output files of a run.
 * @throws SvcError `usage` if the path of the rejects has the wrong extension, `local` if a file
 * cannot be written
 */
async function openOutputFiles(context: Context, job: OpenJob, plan: SendPlan): Promise<RunFiles> {
  const { cwd, inputs } = job.description;
  const { options } = plan;
  const rejects = await openRejects(context, job, plan);
  if (options.results === undefined) return { rejects, results: undefined };
  const results = await openResultsFile({
    path: resolveOutputPath(options.results, cwd),
    stage: job.lockedFolder?.folder.results ?? createTemporaryPath('results'),
    locate: createRecordLocator(inputs),
    saved: job.journal.getFact('results'),
    signal: context.signal,
  });
  if (results.isLost) {
    await context.note(
      `${options.results} no longer contains the results of this job; writing them again`,
    );
    await restoreResults({ recordLists: readLists(plan.input), journal: job.journal, results });
  }
  return { rejects, results };
}

async function openRejects(
  { signal, warn }: Context,
  { description, journal, lockedFolder }: OpenJob,
  { input: { check }, options, calls }: SendPlan,
) {
  const path =
    options.rejects === undefined ? undefined : resolveOutputPath(options.rejects, description.cwd);
  const { fields } = calls;
  // Records from the command line can be sent again without a file, unless svc generated their IDs.
  const isRepeatable = fields.generatesIds !== true || description.records === 1;
  if (path === undefined && options.file === undefined && isRepeatable) return undefined;
  const { inputs } = description;
  const origins = inputs.map(({ name, format }, at) => ({
    name,
    format: format === 'xlsx' ? ('csv' as const) : format,
    preamble: check.files[at]?.preamble ?? '',
    encoding: check.files[at]?.encoding ?? UTF_8,
  }));
  const format = chooseRejectsFormat(origins, pluralize(fields.noun));
  const named = formatFromName(path ?? '');
  if (named === 'xlsx')
    throw new SvcError('usage', `--rejects cannot be a spreadsheet, got ${options.rejects}`, {
      hint: 'use a name that ends in .csv',
    });
  // svc could not read the file back.
  if (format.isConverted && named !== undefined && named !== format.format) {
    throw new SvcError(
      'usage',
      `--rejects must be an .ndjson file if the inputs differ in format, got ${options.rejects}`,
      {
        hint: 'use a name that ends in .ndjson',
      },
    );
  }
  return openRejectsFile({
    format,
    locate: createRecordLocator(inputs),
    folder: description.cwd,
    fallbackFolder: lockedFolder?.folder.path ?? tmpdir(),
    signal,
    warn,
    ...optionalProperty('path', path),
    ...optionalProperty('earlier', journal.getFact('rejects') ?? undefined),
  });
}

export function summarizeRun(
  { job, plan, counters, metrics }: JobRun,
  rejects: string | null,
  now: number,
): BulkSummary {
  const refusesExisting = plan.calls.fields.ifExists !== undefined;
  const outcome = {
    ...counters,
    ...counters.existing,
    seconds: metrics.seconds(now),
    rejects,
    refusesExisting,
  };
  return summarize(job.description, job.journal, outcome);
}

/**
 * Flushes the journal and completes the output files. An error stops the job, unless the run
 * already failed.
 */
export async function finishJob(run: JobRun, sendStop: StopReason | undefined) {
  const { context, job, plan, recorder } = run;
  const { journal, lockedFolder, description } = job;
  let stop = sendStop;
  const guarded = async <Value>(step: () => Value | Promise<Value>): Promise<Value | undefined> => {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (stop?.kind !== 'broken') stop = { kind: 'broken', error };
      return undefined;
    }
  };
  await guarded(() => recorder.flush());
  const unfinished = (await guarded(() => journal.counts().open)) ?? 1;
  const isResumable = () => lockedFolder !== undefined && (stop !== undefined || unfinished > 0);
  const rejects = await guarded(() => closeFiles(run, isResumable()));
  await guarded(() => saveOrganizations(run));
  const resumable = isResumable();
  const needsRejectsPath = run.files.rejects?.hasFailed === true;
  const lostInput = resumable ? await findLostInput(description) : undefined;
  const now = context.clock.now();
  const summary = summarizeRun(run, rejects?.shownPath ?? null, now);
  await guarded(async () => {
    try {
      const { noun } = plan.calls.fields;
      const errorParts = { noun, stop, resumable, needsRejectsPath, lostInput };
      recorder.end(
        resumable ? { error: createJobError(summary, errorParts) } : { rejects: summary.rejects },
        now,
      );
      const inputCopies = resumable ? [] : description.inputs.filter(({ spooled }) => spooled);
      for (const { path } of inputCopies) await rm(path, { force: true });
    } finally {
      journal.close();
      lockedFolder?.release();
    }
  });
  return { summary, stop, resumable, rejects, needsRejectsPath, lostInput };
}

/** Saves the counts of each organization, if the records name them. */
async function saveOrganizations({
  job: { journal },
  plan: { input },
  counters,
}: JobRun): Promise<void> {
  if (counters.decided === 0 || !input.rules.targets.isNamed('organizationId')) return;
  journal.setFact(
    'organizations',
    await countByOrganization(readLists(input), journal, input.grouped !== undefined),
  );
  journal.flush();
}

/**
 * Completes the output files. Returns the rejects file, with its path as the user would type it in
 * the current folder.
 */
async function closeFiles({ context, job, plan, files, counters }: JobRun, resumable: boolean) {
  const { journal, description, lockedFolder } = job;
  const { rejects, results } = files;
  const { file, rejects: namedRejects } = plan.options;
  const unsent = description.records - counters.decided;
  const needsRejects =
    file === undefined && namedRejects === undefined
      ? counters.unknown > 0
      : counters.failed + counters.unknown > 0 || (!resumable && unsent > 0);
  const started = counters.decided > 0;
  if (started && ((rejects && needsRejects) || (results && description.leftOut + unsent > 0))) {
    try {
      await writeOutcomeFiles({
        recordLists: readLists(plan.input),
        journal,
        results,
        rejects: needsRejects ? rejects : undefined,
        isFinal: !resumable,
      });
    } catch (error) {
      await rejects?.discard();
      throw error;
    }
  }
  // If no record has an outcome, the input can be sent again.
  const written = started ? await rejects?.close() : await rejects?.discard();
  journal.setFact('rejects', written ?? null);
  if (results) {
    await results.close(!resumable);
    if (!resumable) journal.setFact('results', results.saved);
    if (results.saved.isStaged)
      await context.note(
        `${plan.options.results} stays as it is until the job ends; the results so far are in ${lockedFolder?.folder.results}`,
      );
  }
  if (!written) return undefined;
  const { cwd } = context;
  const isNamed =
    namedRejects !== undefined &&
    cwd === description.cwd &&
    written.path === resolveOutputPath(namedRejects, cwd);
  return { ...written, shownPath: isNamed ? namedRejects : shortPath(written.path, cwd) };
}
