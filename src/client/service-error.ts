import { type ErrorDetail, type Failure, SvcError } from '../kernel/errors.ts';

interface ServiceErrorDetail extends ErrorDetail {
  readonly httpStatus: number;
  readonly details: unknown;
  /** Whether the body is the service's own envelope: an `error` with a known `status` and a `message`. */
  readonly isOwnEnvelope: boolean;
}

/**
 * A response without the service's envelope. A proxy or gateway may have put it in the place of the service's own
 * response, so it does not tell whether a write was applied.
 */
export class ForeignResponse extends SvcError {}

/** Whether an error is the service's own refusal or happened before anything was sent, so that no write was applied. */
export function provesNotApplied(error: unknown): boolean {
  if (!(error instanceof SvcError) || error.failure === 'outcome_unknown') return false;
  return error instanceof ServiceError ? error.isOwnEnvelope : !(error instanceof ForeignResponse);
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
  readonly isOwnEnvelope: boolean;

  constructor(failure: Failure, message: string, detail: ServiceErrorDetail) {
    super(failure, message, detail);
    this.name = 'ServiceError';
    this.httpStatus = detail.httpStatus;
    this.details = detail.details;
    this.isOwnEnvelope = detail.isOwnEnvelope;
  }
}
