import type { Auth } from '../../catalog/define.ts';
import type { Database } from '../store/store.ts';
import type { FollowUp } from './follow-ups.ts';

export interface ServiceCall {
  readonly database: Database;
  readonly now: number;
  readonly after: (work: FollowUp) => void;
  /** Trace of the request, if it has one. */
  readonly trace?: string | null;
}

/** A call with an API key. The API key owns all organizations that the call can access. */
export interface KeyCall extends ServiceCall {
  readonly apiKey: string;
}

export type KeyScope = Pick<KeyCall, 'database' | 'apiKey'>;

export interface WorkspaceCall extends ServiceCall {
  readonly workspaceId: string;
}

export type CallOf<Kind extends Auth> = {
  key: KeyCall;
  workspace: WorkspaceCall;
  none: ServiceCall;
}[Kind];
