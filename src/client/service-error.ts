import { type ErrorDetail, type Failure, SvcError } from '../kernel/errors.ts';

type ServiceErrorDetail = ErrorDetail & Pick<ServiceError, 'httpStatus' | 'hasServiceEnvelope'>;

/**
 * A response without the service's envelope, perhaps from a proxy: it does not prove whether a
 * write was applied.
 */
export class ForeignResponseError extends SvcError {}

/** A proxy responded because it did not reach the service. */
export class GatewayError extends ForeignResponseError {}

/** Whether a proxy did not reach the service, also if the outcome is unknown. */
export function isGatewayError(error: SvcError): boolean {
  return error instanceof GatewayError || error.cause instanceof GatewayError;
}

const TOO_LARGE = 413;

export class RequestTooLargeError extends ForeignResponseError {
  constructor(host: string) {
    super('invalid_response', `${host} rejected the request as too large (HTTP ${TOO_LARGE})`, {
      hint: 'send less data per request, or raise the limit of the service or its proxy',
    });
    this.name = 'RequestTooLarge';
  }
}

/** Whether the service or a proxy responded with HTTP 413, also if the outcome is unknown. */
export function isRequestTooLarge(error: SvcError): boolean {
  return (
    error instanceof RequestTooLargeError ||
    error.cause instanceof RequestTooLargeError ||
    (error instanceof ServiceError && error.httpStatus === TOO_LARGE)
  );
}

/**
 * Whether an error proves that no write was applied: the service rejected the request, or it was
 * never sent.
 */
export function isCertainlyNotApplied(error: unknown): boolean {
  if (!(error instanceof SvcError) || error.failure === 'outcome_unknown') return false;
  if (error.failure === 'resource_exhausted') return true;
  return error instanceof ServiceError
    ? error.hasServiceEnvelope
    : !(error instanceof ForeignResponseError);
}

/**
 * An error that the service reported.
 *
 * `details` is `error.details` as sent, or `undefined`. For an INTERNAL error of a bulk call,
 * `details` holds the result of each item: a map by the caller's ID, or an array in the order of
 * the request. Items reported as successful have been written; of the others, only those with
 * `code: "internal"` can be retried. For INVALID_ARGUMENT, `details` may be
 * `{issues: [{code, path, message}]}`.
 */
export class ServiceError extends SvcError {
  readonly httpStatus: number;
  /**
   * Whether the body has the service's own envelope: an `error` with a known `status` and a
   * `message`. With an HTTP status 4xx, a `message` or a known `code` is enough.
   */
  readonly hasServiceEnvelope: boolean;

  constructor(failure: Failure, message: string, detail: ServiceErrorDetail) {
    super(failure, message, detail);
    this.name = 'ServiceError';
    this.httpStatus = detail.httpStatus;
    this.hasServiceEnvelope = detail.hasServiceEnvelope;
  }

  override createSimilar(failure: Failure, message: string, detail: ErrorDetail): ServiceError {
    const { httpStatus, hasServiceEnvelope } = this;
    return new ServiceError(failure, message, { ...detail, httpStatus, hasServiceEnvelope });
  }
}
