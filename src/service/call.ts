import type { Auth } from '../catalog/define.ts';
import type { FollowUp } from './follow-ups.ts';
import type { Database } from './store/store.ts';

/** A call as a handler sees it: its transaction, and the time of its arrival. */
export interface ServiceCall {
  readonly database: Database;
  readonly now: number;
  /** Schedules work for after the commit of the call's transaction. */
  readonly after: (work: FollowUp) => void;
}

/** A call with an API key. The key owns every organization that the call can access. */
export interface KeyCall extends ServiceCall {
  readonly apiKey: string;
}

/** Access to the data of one API key. */
export type KeyScope = Pick<KeyCall, 'database' | 'apiKey'>;

export interface WorkspaceCall extends ServiceCall {
  readonly workspaceId: string;
}

export type CallOf<Kind extends Auth> = { key: KeyCall; workspace: WorkspaceCall; none: ServiceCall }[Kind];
