import type { Status } from '../catalog/statuses.ts';

/** What a call is refused with: `error.status`, `error.message` and, where there are any, `error.details`. */
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

/** A request that is no call at all: not POST, not JSON, or not an object with `data` alone. */
export function badRequest(): Refusal {
  return new Refusal('INVALID_ARGUMENT', 'Bad Request');
}

export function invalidArgument(message: string): Refusal {
  return new Refusal('INVALID_ARGUMENT', message);
}
