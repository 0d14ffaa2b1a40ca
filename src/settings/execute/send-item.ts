import type { BatchRequestOutcome, SendBatchRequest } from '../../bulk/batch-request.ts';
import type { Operation } from '../../catalog/define.ts';
import type { Client } from '../../client/client.ts';
import { readCreatedRecord } from '../../client/lookup.ts';
import { type Clock, monotonicNow } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';

interface ItemCalls {
  readonly client: Client;
  readonly operation: Operation;
  readonly shared: Readonly<Record<string, unknown>>;
  readonly isResend: (index: number) => boolean;
}

/**
 * Creates a function that sends one item per request. Before an item that creates a record is sent
 * again, looks the record up. An item that is already deleted counts as sent.
 */
export function createItemSender(calls: ItemCalls, clock: Clock): SendBatchRequest {
  const { client, isResend } = calls;
  // A call of a bulk operation finishes even if the job is stopped, so that its outcome is known.
  const operation = { ...calls.operation, bulk: {} };
  const { lookup } = operation;
  return async ([record]) => {
    const started = monotonicNow(clock);
    const effort = (retries = 0, waits = 0, waited = 0) => {
      const milliseconds = monotonicNow(clock) - started;
      return { milliseconds, retries, waits, waited, limited: waits > 0, failed: retries > waits };
    };
    if (!record || !isObject(record.value)) throw new TypeError('an item has no data');
    const data = { ...calls.shared, ...record.value };
    try {
      if (lookup?.created && isResend(record.index)) {
        const found = await readCreatedRecord(lookup, lookup.created, data, client.send);
        if (found) return { kind: 'confirmed', ...effort() };
      }
      const reply = await client.send(operation, data);
      if (!reply.sent) throw new TypeError('a planned request has no outcome');
      return { kind: 'confirmed', ...effort(reply.retries, reply.waits, reply.waited) };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const isDeleted =
        operation.effect === 'delete' && error.failure === 'not_found' && isResend(record.index);
      return {
        ...(isDeleted ? { kind: 'confirmed' } : outcomeOfError(error)),
        ...effort(error.retries),
      };
    }
  };
}

function outcomeOfError(error: SvcError) {
  if (error.failure !== 'outcome_unknown') return { kind: 'fatal', error } as const;
  return { kind: 'unknown', error, by: 'connection', resend: 'resumed' } as const;
}

/** Failures that concern the sent items only, so that others may succeed. */
export const ITEM_FAILURES: readonly SvcError['failure'][] = [
  ...([
    'invalid_argument',
    'already_exists',
    'not_found',
    'failed_precondition',
    'permission_denied',
  ] as const),
];

/** Wraps a sender so that a failure that concerns only the sent items does not stop the others. */
export function isolateFailures(send: SendBatchRequest): SendBatchRequest {
  return async (batch, kind): Promise<BatchRequestOutcome> => {
    const outcome = await send(batch, kind);
    if (outcome.kind !== 'fatal' || !ITEM_FAILURES.includes(outcome.error.failure)) return outcome;
    const { error, ...effort } = outcome;
    const { message, failure: code } = error;
    return {
      ...effort,
      kind: 'answered',
      response: batch.map(() => ({ success: false, message, code })),
    };
  };
}
