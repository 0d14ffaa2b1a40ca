import type { Batch, Block } from '../../bulk/batches.ts';
import type { BatchOutcome, SendBatch } from '../../bulk/outcome.ts';
import type { Wanted } from '../../bulk/reply.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import type { Answer, Client } from '../../client/client.ts';
import { isTooLarge, ServiceError } from '../../client/service-error.ts';
import { type Clock, steadyNow } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { namedRecords } from './issues.ts';

/** The calls of a job: one operation, with the same data around each batch of records. */
export interface BatchCalls {
  readonly client: Client;
  readonly operation: Operation;
  readonly fields: BulkFields;
  readonly data: Readonly<Record<string, unknown>>;
  /** The job is one call that the command line describes: its refusal is the outcome, not one failure of many. */
  readonly single: boolean;
}

/**
 * Sends batches with the client, and says what came of each in the engine's words.
 * @param wanted where that is all, replies are looked into though they say that all succeeded
 */
export function batchSender(calls: BatchCalls, clock: Clock, wanted: Wanted): SendBatch {
  const { client, operation, fields } = calls;
  const part = { ...operation, takesInternal: true };
  const textOf = inputText(calls);
  return async (batch, kind) => {
    const started = steadyNow(clock);
    const took = () => ({ milliseconds: steadyNow(clock) - started });
    try {
      const ids = fields.wholeReply ? undefined : batch.map(({ id }) => id);
      const reply = await client.sendText(kind === 'part' ? part : operation, textOf(batch), ids);
      if (!reply.sent) throw new TypeError('a planned request has no outcome');
      const { retries, waits, waited, unsettled } = reply;
      const effort = { ...took(), retries, waits, waited, limited: waits > 0, failed: retries > waits };
      if (reply.confirmed && wanted === 'exceptions') return { kind: 'confirmed', ...effort };
      // A success without data is about the whole request.
      if (reply.data === null) return { kind: 'answered_whole', reply: wholeSuccess(reply.result), ...effort };
      if (fields.wholeReply) return { kind: 'answered_whole', reply: reply.data, ...effort };
      return { kind: 'answered', reply: reply.data, unsettled, ...effort };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const limited = error.failure === 'resource_exhausted';
      const effort = { ...took(), retries: error.retries, waits: 0, waited: 0, limited, failed: !limited };
      return { ...outcomeOf(error, batch, calls), ...effort };
    }
  };
}

function wholeSuccess({ message }: Answer<unknown>['result']): object {
  return { success: true, message };
}

/** For `--dry-run`: every request in the order it would go out, and none of them sent. */
export async function planBatches(calls: BatchCalls, batches: AsyncIterable<Batch>): Promise<void> {
  const textOf = inputText(calls);
  for await (const { records } of batches) await calls.client.sendText(calls.operation, textOf(records));
}

/** The JSON text of the input that sends a batch. Where each record is a call, the record is that input, shared data included. */
function inputText({ data, fields: { field } }: BatchCalls): (batch: Block) => string {
  if (field === undefined) return ([record]) => record?.json ?? '{}';
  const shared = JSON.stringify(data).slice(1, -1);
  const opening = `{${shared}${shared && ','}${JSON.stringify(field)}:[`;
  return (batch) => `${opening}${batch.map(({ json }) => json).join(',')}]}`;
}

type Told<Outcome = BatchOutcome> = Outcome extends BatchOutcome
  ? Omit<Outcome, 'milliseconds' | 'retries' | 'waits' | 'waited' | 'limited' | 'failed'>
  : never;

function outcomeOf(error: SvcError, batch: Block, { single, operation, fields }: BatchCalls): Told {
  if (error instanceof ServiceError && tellsOfItems(error, batch)) return { kind: 'answered', reply: error.details };
  if (isTooLarge(error) && (!single || batch.length > 1)) {
    return { kind: 'refused', error: new SvcError('invalid_argument', error.message), tooLarge: true };
  }
  switch (error.failure) {
    case 'outcome_unknown':
      return unknown(error, operation);
    case 'invalid_argument':
    case 'already_exists':
      return single
        ? { kind: 'hopeless', error }
        : { kind: 'refused', error, named: namedRecords(error, batch, fields) };
    case 'not_found':
      // A call that is one record names what does not exist; the next one names something else.
      return { kind: single || fields.field !== undefined ? 'hopeless' : 'refused', error };
    default:
      return { kind: 'hopeless', error };
  }
}

/** Records under ids of the caller's own may be written over and over; what replaces fields, only when somebody asks for it. */
const AGAIN = { read: 'now', keyed: 'now', delete: 'now', set: 'resumed', once: 'never' } as const;

function unknown(error: SvcError, { effect }: Operation): Told {
  const by = error instanceof ServiceError && error.status === 'INTERNAL' ? 'service' : 'way';
  return { kind: 'unknown', error, by, again: AGAIN[effect] };
}

/** Whether a failure's `details` are results of items: a list of them, or a map that holds ids of the batch. */
function tellsOfItems({ failure, details }: ServiceError, batch: Block): boolean {
  if (failure === 'invalid_argument' || typeof details !== 'object' || details === null) return false;
  return Array.isArray(details) ? details.length === batch.length : batch.some(({ id }) => Object.hasOwn(details, id));
}
