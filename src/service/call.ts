import type { Auth } from '../catalog/define.ts';
import type { FollowUp } from './follow-ups.ts';
import type { Database } from './store/store.ts';

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
