/** The HTTP status of each status word that the service answers with. */
export const HTTP_STATUS = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  CANCELLED: 499,
  INTERNAL: 500,
  UNKNOWN: 500,
  DATA_LOSS: 500,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
} as const;

export type Status = keyof typeof HTTP_STATUS;

/** What a call is refused with: `error.status`, `error.message` and, where there are any, `error.details`. */
export class ServiceError extends Error {
  readonly status: Status;
  readonly details: unknown;

  constructor(status: Status, message: string, details?: unknown) {
    super(message);
    this.name = 'ServiceError';
    this.status = status;
    this.details = details;
  }
}

/** A request that is no call at all: not POST, not JSON, or not an object with `data` alone. */
export function badRequest(): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', 'Bad Request');
}

export function invalidArgument(message: string): ServiceError {
  return new ServiceError('INVALID_ARGUMENT', message);
}
