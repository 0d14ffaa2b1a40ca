import type { Feature } from '../catalog/define.ts';
import { type Failure, type Hint, hint, step } from '../kernel/errors.ts';
import type { Fields } from '../kernel/json.ts';
import { findReportedResults } from './item-results.ts';
import type { SendFailure } from './outcome.ts';
import type { CalledOperation } from './request.ts';
import { ServiceError } from './service-error.ts';
import {
  interpretStatus,
  isClientError,
  isKnownStatus,
  type StatusMeaning,
  statusOfCode,
  statusOfHttp,
} from './status.ts';
import type { WireResponse } from './transport.ts';

export interface ResponseContext {
  readonly operation: CalledOperation;
  readonly host: () => string;
  readonly hasClientCertificate?: boolean | undefined;
  readonly expectedIds?: readonly string[] | undefined;
  readonly credentialHint: () => string | Hint;
  readonly signal?: AbortSignal | undefined;
  readonly now: () => number;
  readonly redact: (text: string) => string;
}

const MAX_MESSAGE_LENGTH = 1000;
const MAX_STATUS_LENGTH = 64;

/**
 * Interprets an error by its `status`, or its `code` or the HTTP status. Never retried if its
 * `details` are results of items: some may have been written.
 */
export function parseServiceFailure(
  error: unknown,
  response: WireResponse,
  context: ResponseContext,
): SendFailure {
  const { redact } = context;
  const fields: Readonly<Record<string, unknown>> =
    typeof error === 'object' && error !== null ? { ...error } : {};
  const { httpStatus } = response;
  const details = fields['details'] ?? undefined;
  const text =
    truncateText(fields['message'], MAX_MESSAGE_LENGTH) ?? truncateText(error, MAX_MESSAGE_LENGTH);
  const status =
    truncateText(fields['status'], MAX_STATUS_LENGTH) ?? inferStatus(fields, httpStatus);
  const code = typeof fields['code'] === 'number' ? ` [code ${fields['code']}]` : '';
  const message =
    redact(text ?? `the service failed without a message (HTTP ${httpStatus})`) + code;
  const meaning = interpretStatus(status, httpStatus);
  const hasServiceEnvelope = isFromService(fields, httpStatus);
  const retry = retryPolicyOf(meaning, message, details);
  const isQuota = meaning.retry === 'after_pause' && retry === 'never';
  const hintText = isQuota ? QUOTA_HINT : createHint(meaning.failure, context, text, details);
  return {
    kind: 'failed',
    error: new ServiceError(meaning.failure, message, {
      ...(status && { status: redact(status) }),
      ...(hintText && {
        hint: typeof hintText === 'string' ? redact(hintText) : hintText.reworded(redact),
      }),
      ...(isQuota && { retryable: false }),
      httpStatus,
      details,
      hasServiceEnvelope,
    }),
    applied: hasServiceEnvelope ? meaning.applied : 'maybe',
    retry,
    isServiceRateLimit: fields['status'] === 'RESOURCE_EXHAUSTED',
  };
}

function isFromService(fields: Fields, httpStatus: number): boolean {
  const { status, message, code } = fields;
  const hasMessage = typeof message === 'string' && message.trim() !== '';
  if (isKnownStatus(status)) return typeof message === 'string' || isClientError(httpStatus);
  const lacksStatus = (status ?? undefined) === undefined;
  return (
    lacksStatus &&
    isClientError(httpStatus) &&
    (hasMessage || statusOfCode(code, httpStatus) !== undefined)
  );
}

/** Infers the status of an error without one from its `code`, or from the HTTP status. */
function inferStatus({ code, message }: Fields, httpStatus: number): string | undefined {
  const known = statusOfCode(code, httpStatus);
  if (known) return known;
  const isTaken = httpStatus === 409 && typeof message === 'string' && /\bexists?\b/i.test(message);
  return isTaken ? 'ALREADY_EXISTS' : statusOfHttp(httpStatus);
}

function retryPolicyOf(
  { retry }: StatusMeaning,
  message: string,
  details: unknown,
): SendFailure['retry'] {
  if (retry === 'after_pause') return mentionsQuota(message) ? 'never' : retry;
  return findReportedResults(details) ? 'never' : retry;
}

const RETRY_ADVICE = /\b(?:try again|retry|wait)\b[^.]*/gi;
const RATE =
  /\brate[ -]?limit|\brequest rate\b|(?<!\bper )\brequests\b|\bthrottl|\bper (?:second|minute|hour)\b|\/ ?(?:s|sec|second|min|minute|h|hour)\b/i;
const NUMBER = String.raw`\d|\b(?:one|two|three|four|five|ten|hundred|thousand)\b`;
const BOUND = String.raw`\b(?:at most|no more than|more than|up to|only|limit|limits|limited|quota|exceeds?|exceeded|allowed)\b`;
const MAXIMUM = new RegExp(
  String.raw`\b(?:maximum|max)\b|${BOUND}[^.]*?(?:${NUMBER})|(?:${NUMBER})[^.]*?${BOUND}`,
  'i',
);

/**
 * Whether a RESOURCE_EXHAUSTED message names a maximum (`at most 30 documents`), against which
 * waiting does not help.
 */
export function mentionsQuota(message: string): boolean {
  const stated = message.replace(RETRY_ADVICE, '');
  return MAXIMUM.test(stated) && !RATE.test(stated);
}

function truncateText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.length > maxLength ? `${value.slice(0, maxLength)}…` : value;
}

const ENABLE_ADVICE: Readonly<Record<Feature, string | Hint>> = {
  'advanced-queries': 'ask the service operator to enable them',
  'advanced-webhooks': hint`to enable them, run ${step('change', 'webhooks', 'advanced', 'update', '--enable')}`,
};

function createHint(
  failure: Failure,
  { operation, credentialHint }: ResponseContext,
  text: string | undefined,
  details: unknown,
) {
  const { feature } = operation;
  switch (failure) {
    case 'unauthenticated':
    case 'permission_denied':
      return credentialHint();
    case 'failed_precondition':
      return (
        feature &&
        hint`this command requires ${feature.replaceAll('-', ' ')}; ${ENABLE_ADVICE[feature]}`
      );
    case 'resource_exhausted':
      return createRateLimitHint(operation);
    case 'invalid_argument':
      return createIssueHint(text, details);
    default:
      return undefined;
  }
}

const QUOTA_HINT =
  'waiting does not help against this quota: reduce the request, or ask the service operator to raise the quota';

/**
 * Creates the hint for a rate limit. Without `Retry-After`, a request with the effect `once` is not
 * sent again, so `--max-wait` would not help.
 */
export function createRateLimitHint({ effect }: CalledOperation): string {
  return effect === 'once'
    ? 'try again later'
    : 'try again later, or allow a longer wait with --max-wait';
}

/** Describes the first issue, unless the message of the error describes it. */
function createIssueHint(text = '', details: unknown): string | undefined {
  const { issues } = Object(details) as { readonly issues?: unknown };
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  const { path, message } = Object(first) as {
    readonly path?: unknown;
    readonly message?: unknown;
  };
  if (typeof message !== 'string' || text.includes(message)) return undefined;
  const where = Array.isArray(path) && path.length > 0 ? `${path.map(String).join('.')}: ` : '';
  return truncateText(where + message, MAX_MESSAGE_LENGTH);
}
