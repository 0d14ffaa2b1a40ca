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

/** The service, or a proxy before it, takes no request of this size (HTTP 413). A smaller one may be taken. */
const TOO_LARGE = 413;

/** A request that whoever answered refused for its size, in words of their own. */
export class RequestTooLarge extends ForeignResponse {
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
