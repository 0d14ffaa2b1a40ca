import type * as z from 'zod';
import type { Auth, Operation } from '../../catalog/define.ts';
import type { OperationsOf, Resource } from '../../catalog/index.ts';
import type { Reply } from '../envelope.ts';
import type { FollowUp } from '../follow-ups.ts';
import type { Database } from '../store/store.ts';

/** One call as a handler sees it: its transaction, and the time at which it came in. */
export interface Call {
  readonly database: Database;
  readonly now: number;
  /** Leaves work to be done once the call's transaction is committed. */
  readonly after: (work: FollowUp) => void;
}

/** A call made with an API key, which owns every organization that the call can reach. */
export interface KeyCall extends Call {
  readonly apiKey: string;
}

/** What reading and writing the data of an API key takes. */
export type KeyScope = Pick<KeyCall, 'database' | 'apiKey'>;

export interface WorkspaceCall extends Call {
  readonly workspaceId: string;
}

interface Calls {
  readonly key: KeyCall;
  readonly workspace: WorkspaceCall;
  readonly none: Call;
}

export type CallOf<Kind extends Auth> = Calls[Kind];

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
