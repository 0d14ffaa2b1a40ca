import { type ErrorDetail, type Failure, SvcError } from '../kernel/errors.ts';

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
