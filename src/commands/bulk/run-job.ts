import type { SendBatchRequest, StopReason } from '../../bulk/batch-request.ts';
import { createLookup } from '../../bulk/create-lookup.ts';
import type { ExistingRecords } from '../../bulk/existing-records.ts';
import { runBulkJob } from '../../bulk/job-engine.ts';
import { createLimiter } from '../../bulk/limiter/limiter.ts';
import { chooseRetryPause, MAX_CONCURRENCY } from '../../bulk/pace.ts';
import { type BatchCalls, createRequestSender } from '../../bulk/request-sender.ts';
import type { BulkSummary } from '../../bulk/summary.ts';
import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import { findSharedFlag } from '../../catalog/flags.ts';
import { loadOperation, type OperationName } from '../../catalog/index.ts';
import { getEntry, type OperationEntry } from '../../catalog/manifest.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { NextStep, SvcError } from '../../kernel/errors.ts';
import { type Fields, isObject } from '../../kernel/json.ts';
import { pluralize } from '../../kernel/plural.ts';
import { withHint } from '../call/error-hints.ts';
import type { Context } from '../context.ts';
import { collectAndSaveIds } from '../ids/collect-ids.ts';
import { optionalProperty } from '../options.ts';
import { appendStepSummary } from '../outputs/append-step-summary.ts';
import { openBeforeImages } from './before-images.ts';
import { rejectsCommand, retryCommand } from './follow-up-commands.ts';
import { createJobError } from './job-error.ts';
import { finishJob, type JobRun, openJobRun, summarizeRun } from './job-run.ts';
import { discardJob, type OpenJob } from './open-job.ts';
import { pendingRecords, type SendPlan } from './pending-records.ts';
import { printSummary, renderStepSummary } from './print-summary.ts';
import type { RecordWrite } from './record-write.ts';
import { showSendProgress } from './show-progress.ts';

/** Maximum number of targets whose IDs are cached. */
const MAX_SAVED_TARGETS = 100;

/**
 * Sends the pending records of a job, writes its output files, and prints the summary.
 * @throws SvcError unless every record succeeded. The summary is printed first.
 */
export async function runJob(context: Context, job: OpenJob, plan: SendPlan): Promise<void> {
  const isNew = job.journal.getFact('run') === undefined;
  const run = await openJobRun(context, job, plan).catch(async (error: unknown) => {
    await closeUnsentJob(job, isNew, context.clock);
    throw error;
  });
  const stop = await sendJob(run);
  const entry = getEntry(job.description.operation);
  const { fields, data } = plan.calls;
  const { first } = plan.input.check;
  const isSingle = first && job.description.records + job.description.leftOut === 1;
  const single = isSingle
    ? { entry, fields, data: { ...data, ...first.target?.data }, id: first.id }
    : undefined;
  const isUseless = stop?.kind === 'fatal' && !canPass(stop.error) && !holdsStdin(job);
  if (stop?.kind === 'fatal' && run.counters.decided === 0 && (single || isUseless)) {
    const summary = summarizeRun(run, null, context.clock.now());
    await run.files.rejects?.discard();
    await run.files.results?.discard();
    await closeUnsentJob(job, isNew, context.clock);
    await reportSummary(run, summary, single);
    throw withHint(entry, data, stop.error);
  }
  const finished = await finishJob(run, stop);
  const { summary, resumable, rejects, needsRejectsPath, lostInput } = finished;
  await reportSummary(run, summary, single);
  const areRejectsStreamed = rejects?.isRegular === false;
  if (areRejectsStreamed)
    await context.note(
      `the reasons for failures are not saved, because ${rejects.shownPath} is not a regular file`,
    );
  const named = plan.input.rules.targets.all.take(MAX_SAVED_TARGETS).map(({ data }) => data);
  const all = [...named];
  // If some records failed, a target may not exist.
  const targets = all.length > 1 && summary.succeeded < summary.total ? [] : all;
  if (summary.succeeded > 0 && entry.effect !== 'delete')
    await collectAndSaveIds(context, entry, [data, ...targets]);
  const retry =
    !resumable && !rejects && summary.unknown > 0 ? await retryCommand(context, plan) : undefined;
  const createsOrganizations = isForMissingOrganizations(entry, data, summary);
  const { description } = job;
  const repeated = createsOrganizations
    ? { ...description, data: { ...description.data, createOrganization: true } }
    : description;
  const followUp =
    rejects && !resumable && !areRejectsStreamed
      ? rejectsCommand(context.options, repeated, rejects, rejects.shownPath)
      : retry;
  const failure = createJobError(summary, {
    noun: fields.noun,
    stop: finished.stop,
    resumable,
    needsRejectsPath,
    lostInput,
    followUp: followUp && (await withPlan(context, followUp)),
    createsOrganizations,
    areRejectsStreamed,
    single,
  });
  if (failure !== undefined) throw failure;
}

/** Whether every record failed because its organization is missing, which a flag would create. */
function isForMissingOrganizations(
  { flags }: OperationEntry,
  { createOrganization }: Fields,
  { failures, failed, total }: BulkSummary,
): boolean {
  return (
    failed === total &&
    createOrganization === undefined &&
    findSharedFlag(flags, 'createOrganization') !== undefined &&
    failures.every(({ message }) => /^organization not found/i.test(message ?? ''))
  );
}

/** Saves a plan of a command instead of running it, if the target accepts only approved plans. */
async function withPlan({ approvals }: Context, next: NextStep): Promise<NextStep> {
  if (!(await approvals())) return next;
  return { ...next, command: [...next.command, '--out', 'plan.json'] };
}

/** Whether an error passes with time, so that the job can be resumed unchanged. */
function canPass({ failure, retryable }: SvcError): boolean {
  return failure === 'resource_exhausted' && retryable;
}

async function reportSummary(
  { context, job, plan }: JobRun,
  summary: BulkSummary,
  single?: RecordWrite,
): Promise<void> {
  const { noun } = plan.calls.fields;
  if (job.lockedFolder && context.environment['GITHUB_STEP_SUMMARY']) {
    await appendStepSummary(context, () => renderStepSummary(noun, summary));
  }
  await printSummary(context, noun, summary, single);
}

/** Whether a job has the only copy of an input: the user cannot repeat what a pipe has sent. */
function holdsStdin({ description }: OpenJob): boolean {
  return description.inputs.some(({ name }) => name === 'stdin');
}

/** Closes a job without results. Discards a new one, which leaves nothing to resume. */
async function closeUnsentJob(
  { journal, lockedFolder }: OpenJob,
  isNew: boolean,
  clock: Clock,
): Promise<void> {
  journal.close();
  if (lockedFolder && isNew) await discardJob(lockedFolder, clock);
  else lockedFolder?.release();
}

async function sendJob(run: JobRun): Promise<StopReason | undefined> {
  const { context, job, plan, counters, recorder } = run;
  const { clock, signal } = context;
  const { calls, options, limits } = plan;
  const { rate, onError, maxErrors } = options;
  const concurrency =
    options.concurrency === 'auto' && calls.fields.inOrder ? 1 : options.concurrency;
  const limiter = createLimiter({ concurrency, maximum: MAX_CONCURRENCY, clock, perSecond: rate });
  const reported = options.results === undefined ? 'exceptions' : 'all';
  const { records } = job.description;
  const { name } = getEntry(job.description.operation);
  const keptFields = new Set<string>();
  const endProgress = await showSendProgress(context, counters, limiter, {
    records,
    noun: calls.fields.noun,
  });
  // Other operations cannot replace anything that can be read.
  const isOverwrite = calls.operation.canUndo || options.ifExists === 'update';
  const saveImages = isOverwrite
    ? await openBeforeImages(context, job.lockedFolder?.folder)
    : undefined;
  const saving =
    (name: OperationName, send: SendBatchRequest): SendBatchRequest =>
    async (batch, kind) => {
      await saveImages?.(
        name,
        batch.map(({ value, target }) => ({ ...calls.data, ...target?.data, ...Object(value) })),
      );
      return send(batch, kind);
    };
  const stop = await runBulkJob(
    {
      records: pendingRecords(job, plan, recorder),
      limits,
      reported,
      hasEarlierSuccess: counters.succeeded > 0,
      parent: calls.fields.parent,
      // If a job has a single record, there is nothing to stop.
      ...optionalProperty(
        'stopAtErrors',
        records === 1 ? undefined : onError === 'stop' ? 1 : maxErrors,
      ),
    },
    {
      send: recorder.withMetrics(saving(name, createRequestSender(calls, clock, reported))),
      lookUp: createLookup(calls),
      existing: await createExistingHandler(calls, clock, keptFields, saving),
      limiter,
      log: recorder,
      pause: (repetition, signal) => clock.sleep(chooseRetryPause(repetition), signal),
      signal,
    },
  ).finally(endProgress);
  if (!stop && counters.succeeded + counters.unknown === 0) context.activity.undo = null;
  const { unexpectedIds, unexpectedIdCount } = counters;
  const more =
    unexpectedIdCount > unexpectedIds.length
      ? ` and ${unexpectedIdCount - unexpectedIds.length} more`
      : '';
  if (unexpectedIdCount > 0)
    await context.warn(
      `the response contains IDs that were not sent: ${unexpectedIds.join(', ')}${more}`,
    );
  for (const field of keptFields)
    await context.warn(
      `existing ${pluralize(calls.fields.noun)} keep their ${field}, because the service cannot update it`,
    );
  return stop;
}

/**
 * Creates the handler for `--if-exists`.
 * @param keptFields receives differing fields that an update cannot change
 */
async function createExistingHandler(
  calls: BatchCalls,
  clock: Clock,
  keptFields: Set<string>,
  saving: (name: OperationName, send: SendBatchRequest) => SendBatchRequest,
): Promise<ExistingRecords | undefined> {
  const { ifExists, fields, data } = calls;
  const update = fields.ifExists?.update;
  if (ifExists !== 'update' || update === undefined) return ifExists && { action: 'skip' };
  const { resource, name } = getEntry(update);
  const operation = await loadOperation(resource, name);
  const updateFields = bulkFieldsOf(operation);
  const addOnlyFields = fields.knownFields.filter(
    (known) => !updateFields.knownFields.includes(known),
  );
  const noteKeptFields = (sent: Fields, existing: Fields) => {
    for (const field of addOnlyFields)
      if (sent[field] !== undefined && sent[field] !== existing[field]) keptFields.add(field);
  };
  const shared = Object.fromEntries(
    Object.entries(data).filter(([name]) => Object.hasOwn(operation.input.shape, name)),
  );
  const isSent = ([name]: [string, unknown]) => !addOnlyFields.includes(name);
  const toJson = ({ value }: { readonly value: unknown }) =>
    JSON.stringify(
      isObject(value) ? Object.fromEntries(Object.entries(value).filter(isSent)) : value,
    );
  return {
    action: 'update',
    lookUp:
      createLookup(calls, { listing: 'once', onFound: noteKeptFields }) ?? (async () => new Map()),
    send: saving(
      name,
      createRequestSender(
        { ...calls, operation, fields: updateFields, data: shared },
        clock,
        'all',
        toJson,
      ),
    ),
  };
}
