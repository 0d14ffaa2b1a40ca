import type { BulkWorld } from '../../bulk/engine.ts';
import type { BulkRecord } from '../../bulk/record.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { SvcError } from '../../kernel/errors.ts';

/** The calls of a job: one operation, with the same data around each batch of records. */
export interface BatchCalls {
  readonly client: Client;
  readonly operation: Operation;
  readonly fields: BulkFields;
  readonly data: Readonly<Record<string, unknown>>;
  /** The job is one call that the command line describes: its refusal is the outcome, not one failure of many. */
  readonly single: boolean;
}

/** Sends batches with the client, and says what came of each in the engine's words. */
export function batchSender(calls: BatchCalls): BulkWorld['send'] {
  const { client, operation, fields } = calls;
  const kind = fields.wholeReply ? 'answered_whole' : 'answered';
  return async (batch) => {
    try {
      const reply = await client.call(operation, inputOf(calls, batch));
      if (!reply.sent) throw new TypeError('a planned request has no outcome');
      return { kind, reply: reply.data, retries: reply.retries };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return { ...outcomeOf(error, batch, calls), retries: error.retries };
    }
  };
}

/** For `--dry-run`: every request in the order it would go out, and none of them sent. */
export async function planBatches(calls: BatchCalls, records: readonly BulkRecord[], size: number): Promise<void> {
  for (let at = 0; at < records.length; at += size) {
    await calls.client.call(calls.operation, inputOf(calls, records.slice(at, at + size)));
  }
}

/** The input of the call that sends a batch. Where each record is a call, the record is that input, shared data included. */
export function inputOf({ data, fields: { field } }: BatchCalls, batch: readonly BulkRecord[]) {
  const values = batch.map(({ value }) => value);
  return field === undefined ? (values[0] as Readonly<Record<string, unknown>>) : { ...data, [field]: values };
}

function outcomeOf(error: SvcError, batch: readonly BulkRecord[], { single, fields }: BatchCalls) {
  if (error instanceof ServiceError && tellsOfItems(error, batch)) {
    return { kind: 'answered', reply: error.details } as const;
  }
  switch (error.failure) {
    case 'outcome_unknown':
      return { kind: 'unknown', error } as const;
    case 'invalid_argument':
    case 'already_exists':
      return { kind: single ? 'hopeless' : 'refused', error } as const;
    case 'not_found':
      // A call that is one record names what does not exist; the next one names something else.
      return { kind: single || fields.field !== undefined ? 'hopeless' : 'refused', error } as const;
    default:
      return { kind: 'hopeless', error } as const;
  }
}

/** Whether a failure's `details` are results of items: a list of them, or a map that holds ids of the batch. */
function tellsOfItems({ failure, details }: ServiceError, batch: readonly BulkRecord[]): boolean {
  if (failure === 'invalid_argument' || typeof details !== 'object' || details === null) return false;
  return Array.isArray(details) || batch.some(({ id }) => Object.hasOwn(details, id));
}
