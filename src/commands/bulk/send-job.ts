import type { StopReason } from '../../bulk/batch-request.ts';
import { runBulkJob } from '../../bulk/job-engine.ts';
import { createLimiter } from '../../bulk/limiter/limiter.ts';
import { pluralize } from '../../kernel/plural.ts';
import { optionalProperty } from '../option-values.ts';
import { createLookup } from './create-lookup.ts';
import { handleExisting } from './existing-records.ts';
import type { JobRun } from './job-run.ts';
import { pendingRecords } from './pending-records.ts';
import { createRequestSender } from './request-sender.ts';
import { showSendProgress } from './show-progress.ts';

/** Upper bound on automatic concurrency. */
const MAX_CONCURRENCY = 16;

/** Bounds on the delay before a retry, in milliseconds. The delay doubles with each retry, up to the maximum. */
const MIN_RETRY_PAUSE = 500;
const MAX_RETRY_PAUSE = 5_000;

export async function sendJob(run: JobRun): Promise<StopReason | undefined> {
  const { context, job, plan, counters, recorder } = run;
  const { clock, signal } = context;
  const { calls, options, limits } = plan;
  const { rate, onError, maxErrors } = options;
  const concurrency = options.concurrency === 'auto' && calls.fields.inOrder ? 1 : options.concurrency;
  const limiter = createLimiter({ concurrency, maximum: MAX_CONCURRENCY, clock, perSecond: rate });
  const reported = options.results === undefined ? 'exceptions' : 'all';
  const { records } = job.description;
  const keptFields = new Set<string>();
  const endProgress = await showSendProgress(context, { counters, limiter, records, noun: calls.fields.noun });
  const stop = await runBulkJob(
    {
      records: pendingRecords(job, plan, recorder),
      limits,
      reported,
      hasEarlierSuccess: counters.succeeded > 0,
      // A job with a single record has nothing to stop.
      ...optionalProperty('stopAtErrors', records === 1 ? undefined : onError === 'stop' ? 1 : maxErrors),
    },
    {
      send: recorder.withMetrics(createRequestSender(calls, clock, reported)),
      lookUp: createLookup(calls),
      existing: await handleExisting(calls, clock, keptFields),
      limiter,
      log: recorder,
      pause: (repetition, signal) => clock.sleep(retryPause(repetition), signal),
      signal,
    },
  ).finally(endProgress);
  await warnOfUnknownIds(run);
  for (const field of keptFields)
    await context.warn(`existing ${pluralize(calls.fields.noun)} keep their ${field}: the service cannot update it`);
  return stop;
}

function retryPause(repetition: number): number {
  return Math.random() * Math.min(MAX_RETRY_PAUSE, MIN_RETRY_PAUSE * 2 ** (repetition - 1));
}

async function warnOfUnknownIds({ context, counters: { unexpectedIds, unexpectedIdCount } }: JobRun): Promise<void> {
  if (unexpectedIdCount === 0) return;
  const more = unexpectedIdCount > unexpectedIds.length ? ` and ${unexpectedIdCount - unexpectedIds.length} more` : '';
  await context.warn(`the response contains IDs that were not sent: ${unexpectedIds.join(', ')}${more}`);
}
