import type { Feature } from '../catalog/define.ts';
import { type Failure, type Hint, hint, step } from '../kernel/errors.ts';
import type { SendFailure } from './outcome.ts';
import type { CalledOperation } from './request.ts';
import { ServiceError } from './service-error.ts';
import { interpretStatus, isKnownStatus, type StatusMeaning, statusOfHttp } from './status.ts';
import type { WireResponse } from './transport.ts';

export interface ResponseContext {
  readonly operation: CalledOperation;
  readonly host: () => string;
  readonly hasClientCertificate?: boolean | undefined;
  readonly expectedIds?: readonly string[] | undefined;
  readonly credentialHint: () => string | Hint;
  readonly signal?: AbortSignal | undefined;
  readonly redact: (text: string) => string;
}

const MAX_MESSAGE_LENGTH = 1000;
const MAX_STATUS_LENGTH = 64;

/**
 * Interprets an error by its `status`, or the HTTP status. Never retried with `details`: some items
 * may have been written.
 */
export function parseServiceFailure(
  error: unknown,
  response: WireResponse,
  context: ResponseContext,
): SendFailure {
  const { redact } = context;
  const fields: Readonly<Record<string, unknown>> =
    typeof error === 'object' && error !== null ? { ...error } : {};
  const status =
    truncateText(fields['status'], MAX_STATUS_LENGTH) ?? statusOfHttp(response.httpStatus);
  const details = fields['details'] ?? undefined;
  const text =
    truncateText(fields['message'], MAX_MESSAGE_LENGTH) ?? truncateText(error, MAX_MESSAGE_LENGTH);
  const code = typeof fields['code'] === 'number' ? ` [code ${fields['code']}]` : '';
  const message =
    redact(text ?? `the service failed without a message (HTTP ${response.httpStatus})`) + code;
  const meaning = interpretStatus(status, response.httpStatus);
  const hasServiceEnvelope =
    isKnownStatus(fields['status']) && typeof fields['message'] === 'string';
  const retry = retryPolicyOf(meaning, message, details);
  const isQuota = meaning.retry === 'after_pause' && retry === 'never';
  const advice = isQuota ? QUOTA_HINT : createHint(meaning.failure, context, details);
  // A service may describe its only issue in the message.
  const hintText = advice === text ? undefined : advice;
  return {
    kind: 'failed',
    error: new ServiceError(meaning.failure, message, {
      ...(status && { status: redact(status) }),
      ...(hintText && {
        hint: typeof hintText === 'string' ? redact(hintText) : hintText.reworded(redact),
      }),
      ...(isQuota && { retryable: false }),
      httpStatus: response.httpStatus,
      details,
      hasServiceEnvelope,
    }),
    applied: hasServiceEnvelope ? meaning.applied : 'maybe',
    retry,
    retryAfter: response.retryAfter,
    isServiceRateLimit: fields['status'] === 'RESOURCE_EXHAUSTED',
  };
}

function retryPolicyOf(
  { retry }: StatusMeaning,
  message: string,
  details: unknown,
): SendFailure['retry'] {
  if (retry === 'after_pause') return mentionsQuota(message) ? 'never' : retry;
  return details === undefined ? retry : 'never';
}

const RETRY_ADVICE = /\b(?:try again|retry|wait)\b[^.]*/gi;
const RATE =
  /\brate[ -]?limit|\btoo many requests\b|\bthrottl|\bper (?:second|minute)\b|\/ ?(?:s|sec|second|min|minute)\b/i;
const MAXIMUM = /\b(?:maximum|max|at most|no more than|up to|limit|limited|quota)\b[^.]*?\d/i;

/**
 * Whether a RESOURCE_EXHAUSTED message states a maximum (`at most 30 documents`), against which
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
  'advanced-webhooks': hint`enable them with ${step('change', 'webhooks', 'advanced', 'update', '--enable')}`,
};

function createHint(
  failure: Failure,
  { operation, credentialHint }: ResponseContext,
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
        hint`this command requires ${feature.replaceAll('-', ' ')}: ${ENABLE_ADVICE[feature]}`
      );
    case 'resource_exhausted':
      return createRateLimitHint(operation);
    case 'invalid_argument':
      return createIssueHint(details);
    default:
      return undefined;
  }
}

const QUOTA_HINT =
  'waiting does not help against this quota: reduce the request, or ask the service operator to raise the quota';

/**
 * Creates the hint for a rate limit. Requests with the effect `once` are never retried, so
 * `--max-wait` does nothing.
 */
export function createRateLimitHint({ effect }: CalledOperation): string {
  return effect === 'once'
    ? 'try again later'
    : 'try again later, or allow a longer wait with --max-wait';
}

function createIssueHint(details: unknown): string | undefined {
  const { issues } = Object(details) as { readonly issues?: unknown };
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  const { path, message } = Object(first) as {
    readonly path?: unknown;
    readonly message?: unknown;
  };
  const where = Array.isArray(path) && path.length > 0 ? `${path.map(String).join('.')}: ` : '';
  return typeof message === 'string'
    ? truncateText(where + message, MAX_MESSAGE_LENGTH)
    : undefined;
}
