import type { Status } from '../../catalog/statuses.ts';

/** An error that becomes the response to a call. */
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

export function readOnlyRefusal(): Refusal {
  return new Refusal('PERMISSION_DENIED', 'The service is read-only.');
}
