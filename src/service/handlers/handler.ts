import type * as z from 'zod/mini';
import type { Operation } from '../../catalog/define.ts';
import type { OperationsOf, Resource } from '../../catalog/index.ts';
import type { CallOf } from '../calls/call.ts';
import type { HandlerResult } from '../calls/envelope.ts';

/** Executes an operation. A thrown `Refusal` rolls back all writes and becomes the response. */
export type Handler<Of extends Operation> = (
  call: CallOf<Of['auth']>,
  input: z.output<Of['input']>,
) => Promise<HandlerResult<z.output<Of['output']>>>;

const rowLockingHandlers = new WeakSet<object>();

/**
 * Marks a handler that needs no other locks than those of the rows that it writes: it checks only
 * records that no call deletes or moves, and its statements work whatever other calls do at the same time.
 */
export function lockingOnlyRows<Marked extends object>(handler: Marked): Marked {
  rowLockingHandlers.add(handler);
  return handler;
}

export function locksOnlyRows(handler: object): boolean {
  return rowLockingHandlers.has(handler);
}

export type HandlersOf<Name extends Resource> = {
  readonly [Of in keyof OperationsOf<Name>]: OperationsOf<Name>[Of] extends Operation
    ? Handler<OperationsOf<Name>[Of]>
    : never;
};
