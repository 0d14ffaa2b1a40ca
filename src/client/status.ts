import { HTTP_STATUS } from '../catalog/statuses.ts';
import type { Failure } from '../kernel/errors.ts';
import type { SendFailure } from './outcome.ts';

export type StatusMeaning = Pick<SendFailure, 'applied' | 'retry'> & { readonly failure: Failure };
const rejected = (failure: Failure): StatusMeaning => ({ failure, applied: 'no', retry: 'never' });
const unknown = (failure: Failure, retry: StatusMeaning['retry']): StatusMeaning => ({
  failure,
  applied: 'maybe',
  retry,
});

const MEANINGS = new Map<string, StatusMeaning>([
  ['INVALID_ARGUMENT', rejected('invalid_argument')],
  ['OUT_OF_RANGE', rejected('invalid_argument')],
  ['FAILED_PRECONDITION', rejected('failed_precondition')],
  ['UNAUTHENTICATED', rejected('unauthenticated')],
  ['PERMISSION_DENIED', rejected('permission_denied')],
  ['NOT_FOUND', rejected('not_found')],
  ['ALREADY_EXISTS', rejected('already_exists')],
  ['UNIMPLEMENTED', rejected('invalid_response')],
  ['RESOURCE_EXHAUSTED', { failure: 'resource_exhausted', applied: 'no', retry: 'after_pause' }],
  ['ABORTED', { failure: 'unreachable', applied: 'no', retry: 'by_effect' }],
  ['UNAVAILABLE', unknown('unreachable', 'by_effect')],
  ['DEADLINE_EXCEEDED', unknown('unreachable', 'by_effect')],
  ['INTERNAL', unknown('invalid_response', 'by_effect')],
  ['UNKNOWN', unknown('invalid_response', 'by_effect')],
  ['CANCELLED', unknown('invalid_response', 'never')],
  ['DATA_LOSS', unknown('invalid_response', 'never')],
]);

/**
 * Statuses for HTTP statuses: those that the service uses, the first one of each, and those of
 * proxies.
 */
const HTTP_STATUSES = new Map<number, string>([
  ...Object.entries(HTTP_STATUS)
    .map(([status, http]) => [http, status] as const)
    .toReversed(),
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [410, 'NOT_FOUND'],
  [412, 'FAILED_PRECONDITION'],
  [422, 'INVALID_ARGUMENT'],
  [502, 'UNAVAILABLE'],
]);

/** Statuses for the numeric codes of gRPC, from 1. */
const NUMBERED_STATUSES = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

export function statusOfHttp(httpStatus: number): string | undefined {
  return HTTP_STATUSES.get(httpStatus);
}

/**
 * Returns the status for an error's `code`: a status in any spelling (`not-found`), or a number of
 * gRPC or HTTP. A client error has none that leaves the outcome open: its code is of another kind.
 */
export function statusOfCode(code: unknown, httpStatus: number): string | undefined {
  const name =
    typeof code === 'number'
      ? (NUMBERED_STATUSES[code - 1] ?? statusOfHttp(code))
      : typeof code === 'string'
        ? code.replace(/^.*\//, '').replaceAll('-', '_').toUpperCase()
        : undefined;
  const meaning = MEANINGS.get(name ?? '');
  return meaning && (meaning.applied === 'no' || !isClientError(httpStatus)) ? name : undefined;
}

export function isKnownStatus(value: unknown): boolean {
  return typeof value === 'string' && MEANINGS.has(value);
}

/**
 * Interprets a status. With an unknown status, the outcome is unknown, unless the HTTP status is a
 * client error.
 */
export function interpretStatus(status: string | undefined, httpStatus: number): StatusMeaning {
  const meaning = MEANINGS.get(status ?? '');
  if (meaning) return meaning;
  return isClientError(httpStatus)
    ? rejected('invalid_response')
    : unknown('invalid_response', 'never');
}

/**
 * Client errors that mean the same from the service and from a proxy. A 400 or 404 may be about the
 * proxy itself.
 */
const SAME_FROM_PROXY = new Set([401, 403, 408, 429]);

/** Interprets the HTTP status of a response that is not from the service. */
export function interpretHttpStatus(httpStatus: number): Omit<StatusMeaning, 'applied'> {
  if (isClientError(httpStatus) && !SAME_FROM_PROXY.has(httpStatus))
    return rejected('invalid_response');
  return interpretStatus(
    statusOfHttp(httpStatus) ?? (httpStatus >= 500 ? 'UNKNOWN' : undefined),
    httpStatus,
  );
}

export function isClientError(httpStatus: number): boolean {
  return httpStatus >= 400 && httpStatus < 500;
}
