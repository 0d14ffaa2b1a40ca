import type { BulkWorld } from '../../bulk/engine.ts';
import type { BulkRecord } from '../../bulk/record.ts';
import type { Operation } from '../../catalog/define.ts';
import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { SvcError } from '../../kernel/errors.ts';

/** The calls of a job: one operation, with the same data around each batch of records. */
export interface BatchCalls {
  readonly client: Client;
  readonly operation: Operation;
  readonly data: Readonly<Record<string, unknown>>;
  /** The name of the array of records. */
  readonly field: string;
  /** The job is one record given by flags: a refusal of its call is the outcome, not one failure of many. */
  readonly single: boolean;
}

/** Sends batches with the client, and says what came of each in the engine's words. */
export function batchSender(calls: BatchCalls): BulkWorld['send'] {
  return async (batch) => {
    try {
      const reply = await callWith(calls, batch);
      if (!reply.sent) throw new TypeError('a planned request has no outcome');
      return { kind: 'answered', reply: reply.data, retries: reply.retries };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return { ...outcomeOf(error, batch, calls.single), retries: 0 };
    }
  };
}

/** For `--dry-run`: every request in the order it would go out, and none of them sent. */
export async function planBatches(calls: BatchCalls, records: readonly BulkRecord[], size: number): Promise<void> {
  for (let at = 0; at < records.length; at += size) await callWith(calls, records.slice(at, at + size));
}

function callWith({ client, operation, data, field }: BatchCalls, batch: readonly BulkRecord[]) {
  return client.call(operation, { ...data, [field]: batch.map(({ value }) => value) });
}

function outcomeOf(error: SvcError, batch: readonly BulkRecord[], single: boolean) {
  if (error instanceof ServiceError && tellsOfItems(error, batch)) {
    return { kind: 'answered', reply: error.details } as const;
  }
  switch (error.failure) {
    case 'outcome_unknown':
      return { kind: 'unknown', error } as const;
    case 'invalid_argument':
    case 'already_exists':
      return { kind: single ? 'hopeless' : 'refused', error } as const;
    default:
      return { kind: 'hopeless', error } as const;
  }
}

/** Whether a failure's `details` are results of items: a list of them, or a map that holds ids of the batch. */
function tellsOfItems({ failure, details }: ServiceError, batch: readonly BulkRecord[]): boolean {
  if (failure === 'invalid_argument' || typeof details !== 'object' || details === null) return false;
  return Array.isArray(details) || batch.some(({ id }) => Object.hasOwn(details, id));
}
