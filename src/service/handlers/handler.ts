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

export type HandlersOf<Name extends Resource> = {
  readonly [Of in keyof OperationsOf<Name>]: OperationsOf<Name>[Of] extends Operation
    ? Handler<OperationsOf<Name>[Of]>
    : never;
};
