import type * as z from 'zod';
import type { Operation } from '../../catalog/define.ts';
import type { OperationsOf, Resource } from '../../catalog/index.ts';
import type { CallOf } from '../call.ts';
import type { Reply } from '../envelope.ts';

/** What an operation does. Throws a `Refusal` to refuse; then nothing that it wrote stays. */
export type Handler<Of extends Operation> = (
  call: CallOf<Of['auth']>,
  input: z.output<Of['input']>,
) => Promise<Reply<z.output<Of['output']>>>;

/** A handler for each operation of a resource. */
export type HandlersOf<Name extends Resource> = {
  readonly [Of in keyof OperationsOf<Name>]: OperationsOf<Name>[Of] extends Operation
    ? Handler<OperationsOf<Name>[Of]>
    : never;
};
