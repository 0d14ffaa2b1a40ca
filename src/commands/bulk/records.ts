import type { Block, Portion } from '../../bulk/batches.ts';
import type { Flight } from '../../bulk/journal/flights.ts';
import { readChecked } from '../../bulk/readings.ts';
import type { Recorder } from '../../bulk/recorder.ts';
import { remaining } from '../../bulk/resume-plan.ts';
import type { Effect } from '../../catalog/define.ts';
import type { BulkInput } from './gather-input.ts';
import type { OpenJob } from './job.ts';
import type { BatchCalls } from './send.ts';

/**
 * In how many runs records may be sent that an earlier run left without an outcome. Under ids of the caller's own they can
 * come any number of times; what replaces fields comes once more, as after a failure within a run.
 */
const MOST_SENDS = {
  read: 1,
  keyed: Number.POSITIVE_INFINITY,
  delete: Number.POSITIVE_INFINITY,
  set: 2,
  once: 1,
} as const satisfies Record<Effect, number>;

const LOST = {
  status: 'unknown',
  message: 'sent by a run that was ended before an answer came',
  code: 'outcome_unknown',
} as const;

interface Sending {
  readonly calls: BatchCalls;
  readonly input: BulkInput;
}

/** What a job has yet to send. Records that may not be sent again are settled as unknown on the way. */
export function toSend(job: OpenJob, sending: Sending, recorder: Recorder): AsyncIterable<Portion> {
  return unsent(job, sending, (batch) =>
    recorder.settle(batch, {
      items: batch.map((record) => ({ record, ...LOST })),
      ...{ requests: 0, retries: 0, strangers: [], hopeless: undefined, lost: undefined },
    }),
  );
}

/** As `toSend`, for a look at it. */
export function remainingRecords(job: OpenJob, sending: Sending): AsyncIterable<Portion> {
  return unsent(job, sending, async () => undefined);
}

function unsent(
  { journal }: OpenJob,
  { calls, input }: Sending,
  giveUp: (batch: Block) => Promise<void>,
): AsyncIterable<Portion> {
  const { effect } = calls.operation;
  const mayResend = ({ sends }: Flight) => sends < MOST_SENDS[effect];
  return remaining(recordsOf(input), journal.flights(), { mayResend, giveUp });
}

/** The records of an input, without those that are left out. */
export async function* recordsOf({ input, rules, survey }: BulkInput): AsyncGenerator<Block> {
  for await (const { records } of readChecked(input, rules, survey)) yield records;
}
