import type * as z from 'zod';
import type { Operation } from '../catalog/define.ts';
import type { Effort } from './call.ts';
import type { CalledOperation } from './request.ts';

/** A success: `data` as the service sent it (every field kept), and the whole `result` around it. */
export interface Answer<Data> extends Effort {
  readonly sent: true;
  /** Each of the ids that were handed in, and no other, is answered with success. */
  readonly confirmed: boolean;
  /** Null when the service sent none. */
  readonly data: Data | null;
  readonly result: Readonly<Record<string, unknown>>;
}

/** What a call gives: an answer, or nothing because it was only planned. */
export type Reply<Data> = Answer<Data> | { readonly sent: false };

/** Calls operations of one service. All its calls share one budget of retries and one pause for rate limits. */
export interface Client {
  /**
   * Calls one operation, with retries as its effect allows.
   * @throws SvcError of the kind that the service's `error.status` or the failed transport stands for: a ServiceError
   * with `error.details` where the service said so itself, `outcome_unknown` where a write may have been applied, and
   * the reason of `signal` when that aborts. The error counts the retries.
   */
  call<Input extends z.ZodObject, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<Reply<z.output<Output>>>;
  /** As `call`, for a path that the catalog need not know and any JSON as its data. */
  send(operation: CalledOperation, data: unknown): Promise<Reply<unknown>>;
  /**
   * As `send`, for data that is JSON text already, and for many calls: it takes `pool` where there is one. Nobody looks
   * into the text. Of a batch of these ids, an answer that says of each that it succeeded is `confirmed` and not parsed.
   */
  sendText(operation: CalledOperation, dataText: string, ids?: readonly string[]): Promise<Reply<unknown>>;
  /** Settles now what `beforeWrite` settles, for a run that would otherwise be asked in its midst. */
  permitWrites(): Promise<void>;
}
