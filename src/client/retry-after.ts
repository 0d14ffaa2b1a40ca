import { formatDurationValue } from '../kernel/duration.ts';
import { withFailureAndHint } from './final-error.ts';
import { findReportedResults } from './item-results.ts';
import type { SendFailure } from './outcome.ts';
import { ServiceError } from './service-error.ts';
import type { WireResponse } from './transport.ts';

const MIN_PAUSE = 1_000;
/** Lower limit for `retry-after-ms`, in milliseconds. */
const MIN_EXACT_PAUSE = 100;
/** Upper limit for a pause: a year, in milliseconds. */
const MAX_REQUESTED_PAUSE = 365 * 24 * 60 * 60_000;
const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;

/**
 * Adds the pause that a response asks for to a failure. A server that asks for a pause has not processed
 * the request. A failure that a pause cannot change stays as it is: the rejection of a request, and
 * an error with results of single records.
 */
export function withRetryAfter(
  failed: SendFailure,
  response: WireResponse,
  now: () => number,
): SendFailure {
  const { httpStatus } = response;
  const { error } = failed;
  const canAskForPause =
    httpStatus === TOO_MANY_REQUESTS ||
    httpStatus === UNAVAILABLE ||
    failed.retry === 'after_pause';
  const isRejection = failed.applied === 'no' && failed.retry === 'never';
  const hasResults = error instanceof ServiceError && findReportedResults(error.details);
  if (!canAskForPause || isRejection || hasResults) return failed;
  const retryAfter = readRetryAfter(response, now);
  if (retryAfter === undefined) return failed;
  const wait = formatDurationValue(retryAfter);
  return {
    ...failed,
    error: withFailureAndHint(
      error,
      'resource_exhausted',
      `the service asks to wait ${wait}: try again after that time`,
    ),
    applied: 'no',
    retry: 'after_pause',
    retryAfter,
    isUnavailable: httpStatus === UNAVAILABLE,
  };
}

/** Adds the flag to a failure whose pause is longer than svc may wait. */
export function withNeededWait(failed: SendFailure, neededWait: number): SendFailure {
  if (failed.retryAfter === undefined) return failed;
  const [wait, flag] = [failed.retryAfter, neededWait].map(formatDurationValue);
  const hint = `the service asks to wait ${wait}: try again after that time, or wait with --max-wait ${flag}`;
  const { error } = failed;
  return { ...failed, error: withFailureAndHint(error, error.failure, hint) };
}

type RetryAfterHeaders = Pick<WireResponse, 'retryAfter' | 'date' | 'header'>;

/**
 * Returns the pause that a response asks for, at most a year, in milliseconds: of `retry-after-ms`,
 * or of `Retry-After` in seconds or as an HTTP date; `undefined` for other values. Compares a date
 * with the `Date` of the response, so that the clocks of both sides may differ.
 */
export function readRetryAfter(
  { retryAfter, date, header }: RetryAfterHeaders,
  now: () => number,
): number | undefined {
  const exact = parseNumber(header?.('retry-after-ms'));
  if (exact !== undefined) return limitPause(Math.ceil(exact), MIN_EXACT_PAUSE);
  const seconds = parseNumber(retryAfter);
  if (seconds !== undefined) return limitPause(Math.ceil(seconds) * 1_000);
  const until = parseHttpDate(retryAfter);
  return until === undefined ? undefined : limitPause(until - (parseHttpDate(date) ?? now()));
}

function limitPause(milliseconds: number, min = MIN_PAUSE): number {
  return Math.min(MAX_REQUESTED_PAUSE, Math.max(min, milliseconds));
}

function parseNumber(text = ''): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

/** The three forms of RFC 9110. The last one does not name its time zone, which is GMT. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

function parseHttpDate(text = ''): number | undefined {
  const trimmed = text.trim();
  if (!HTTP_DATES.some((form) => form.test(trimmed))) return undefined;
  const time = Date.parse(trimmed.endsWith('GMT') ? trimmed : `${trimmed} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
