import type * as z from 'zod/mini';
import type { Operation } from '../catalog/define.ts';
import type { CallStats } from './call.ts';
import type { CalledOperation } from './request.ts';

/**
 * The result of a successful call: `data` as the service sent it, with every field, and the whole
 * `result` object.
 */
export interface CallResult<Data> extends CallStats {
  readonly sent: true;
  readonly confirmed: boolean;
  readonly data: Data | null;
  readonly result: Readonly<Record<string, unknown>>;
}

export type CallOutcome<Data> = CallResult<Data> | { readonly sent: false };

/** Calls operations of one service. All calls share one retry budget and one rate limiter. */
export interface Client {
  /**
   * Calls one operation and retries it as its effect allows.
   * @throws SvcError of the failure kind that matches the service's `error.status` or the network
   * failure: a ServiceError with `error.details` if the service reported it, `outcome_unknown` if a
   * write may have been applied, or the reason of `signal` if that aborts. The error's `retries`
   * counts the retries.
   */
  call<Input extends z.ZodMiniObject, Output extends z.ZodMiniType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<CallOutcome<z.output<Output>>>;
  send(operation: CalledOperation, data: unknown): Promise<CallOutcome<unknown>>;
  /**
   * Sends JSON text unchanged. If the response reports success for
   * all `ids`, the result is `confirmed` and has no data.
   */
  sendText(
    operation: CalledOperation,
    dataText: string,
    ids?: readonly string[],
  ): Promise<CallOutcome<unknown>>;
  ensureWritesAllowed(): Promise<void>;
}
