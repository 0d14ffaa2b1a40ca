import type { StopReason } from '../../bulk/batch-request.ts';
import { createLookup } from '../../bulk/create-lookup.ts';
import { runBulkJob } from '../../bulk/job-engine.ts';
import { createLimiter } from '../../bulk/limiter/limiter.ts';
import { chooseRetryPause, MAX_CONCURRENCY } from '../../bulk/pace.ts';
import { createRequestSender } from '../../bulk/request-sender.ts';
import { pluralize } from '../../kernel/plural.ts';
import { optionalProperty } from '../option-values.ts';
import { handleExisting } from './existing-records.ts';
import type { JobRun } from './job-run.ts';
import { pendingRecords } from './pending-records.ts';
import { showSendProgress } from './show-progress.ts';

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
      pause: (repetition, signal) => clock.sleep(chooseRetryPause(repetition), signal),
      signal,
    },
  ).finally(endProgress);
  await warnOfUnknownIds(run);
  for (const field of keptFields)
    await context.warn(`existing ${pluralize(calls.fields.noun)} keep their ${field}: the service cannot update it`);
  return stop;
}

async function warnOfUnknownIds({ context, counters: { unexpectedIds, unexpectedIdCount } }: JobRun): Promise<void> {
  if (unexpectedIdCount === 0) return;
  const more = unexpectedIdCount > unexpectedIds.length ? ` and ${unexpectedIdCount - unexpectedIds.length} more` : '';
  await context.warn(`the response contains IDs that were not sent: ${unexpectedIds.join(', ')}${more}`);
}
