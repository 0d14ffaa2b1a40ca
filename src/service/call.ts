import type { Auth } from '../catalog/define.ts';
import type { Status } from '../catalog/statuses.ts';
import type { FollowUp } from './follow-ups.ts';
import type { Database } from './store/store.ts';

export interface ServiceCall {
  readonly database: Database;
  readonly now: number;
  readonly after: (work: FollowUp) => void;
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

export class Refusal extends Error {
  readonly status: Status;
  readonly details: unknown;

  constructor(status: Status, message: string, details?: unknown) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.details = details;
  }
}

/**
 * Creates the refusal of a request that is not a POST, is not JSON, or is not an object with the
 * single key `data`.
 */
export function badRequest(): Refusal {
  return new Refusal('INVALID_ARGUMENT', 'Bad Request');
}

export function invalidArgument(message: string): Refusal {
  return new Refusal('INVALID_ARGUMENT', message);
}
