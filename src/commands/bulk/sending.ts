import { runBulk } from '../../bulk/engine.ts';
import { createLimiter } from '../../bulk/limiter/limiter.ts';
import type { Stop } from '../../bulk/outcome.ts';
import { given } from '../option-values.ts';
import type { JobRun } from './job-run.ts';
import { lookerOf } from './look.ts';
import { showSending } from './progress.ts';
import { toSend } from './records.ts';
import { batchSender } from './send.ts';

/** Requests in flight at once, unless the user says otherwise: from 1 up to this, as the service takes them. */
const MOST_CONCURRENCY = 16;

/** Milliseconds before what failed is sent again: up to twice as long each time. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5_000;

/** Sends until everything is sent or the run stops. */
export async function sendJob(run: JobRun): Promise<Stop | undefined> {
  const { context, job, work, tally, recorder } = run;
  const { clock, signal } = context;
  const { calls, options, limits } = work;
  const { rate, onError, maxErrors } = options;
  const concurrency = options.concurrency === 'auto' && calls.fields.inOrder ? 1 : options.concurrency;
  const limiter = createLimiter({ concurrency, most: MOST_CONCURRENCY, clock, ...given('perSecond', rate) });
  const wanted = options.results === undefined ? 'exceptions' : 'all';
  const { records } = job.description;
  const shown = await showSending(context, { tally, limiter, records, noun: calls.fields.noun });
  const stop = await runBulk(
    {
      records: toSend(job, work, recorder),
      limits,
      wanted,
      landedBefore: tally.succeeded > 0,
      ...given('stopAtErrors', onError === 'stop' ? 1 : maxErrors),
    },
    {
      send: recorder.measured(batchSender(calls, clock, wanted)),
      look: lookerOf(calls),
      limiter,
      ledger: recorder,
      pause: (repetition, ending) => clock.sleep(pauseBefore(repetition), ending),
      signal,
    },
  ).finally(shown);
  await tellStrangers(run);
  return stop;
}

function pauseBefore(repetition: number): number {
  return Math.random() * Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (repetition - 1));
}

async function tellStrangers({ context, tally: { strangers, strangerCount } }: JobRun): Promise<void> {
  if (strangerCount === 0) return;
  const more = strangerCount > strangers.length ? ` and ${strangerCount - strangers.length} more` : '';
  await context.warn(`the reply names ids that were not sent: ${strangers.join(', ')}${more}`);
}
