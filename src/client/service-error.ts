import { type ErrorDetail, type Failure, SvcError } from '../kernel/errors.ts';

/** The service, or a proxy before it, takes no request of this size (HTTP 413). A smaller one may be taken. */
const TOO_LARGE = 413;

/** A request that whoever answered refused for its size, in words of their own. */
export class RequestTooLarge extends SvcError {
  constructor(host: string) {
    super('unusable_answer', `${host} refused the request as too large (HTTP ${TOO_LARGE})`, {
      hint: 'send less in one request, or have the limit of the service or its proxy raised',
    });
    this.name = 'RequestTooLarge';
  }
}

/** Whether a request was refused for its size, so that its halves may be taken. */
export function isTooLarge(error: SvcError): boolean {
  return error instanceof RequestTooLarge || (error instanceof ServiceError && error.httpStatus === TOO_LARGE);
}

interface ServiceErrorDetail extends ErrorDetail {
  readonly httpStatus: number;
  readonly details: unknown;
}

/**
 * The service said no, in its own envelope.
 *
 * `details` is `error.details` as it was sent, `undefined` when there was none. On an INTERNAL answer to a bulk call it
 * tells what became of each item: a map by the caller's id, or an array in the order of the request; what it says
 * succeeded has been written, and of the others only those with `code: "internal"` may be sent again. On
 * INVALID_ARGUMENT it may be `{issues: [{code, path, message}]}`.
 */
export class ServiceError extends SvcError {
  readonly httpStatus: number;
  readonly details: unknown;

  constructor(failure: Failure, message: string, detail: ServiceErrorDetail) {
    super(failure, message, detail);
    this.name = 'ServiceError';
    this.httpStatus = detail.httpStatus;
    this.details = detail.details;
  }
}
