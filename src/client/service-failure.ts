import type { Feature } from '../catalog/define.ts';
import type { Failure } from '../kernel/errors.ts';
import { type Hint, hint, type NextStep, step } from '../kernel/hint.ts';
import type { Failed } from './outcome.ts';
import { namesMaximum } from './quota.ts';
import type { CalledOperation } from './request.ts';
import { ServiceError } from './service-error.ts';
import { isKnownWord, type Meaning, meaningOf, wordOfHttp } from './status.ts';
import type { WireReply } from './transport.ts';

/** What a reply is read for: the operation decides what makes sense, the rest goes into messages. */
export interface Reading {
  readonly operation: CalledOperation;
  readonly host: string;
  /** The ids that a success may be known by without being parsed. */
  readonly expected?: readonly string[] | undefined;
  /** For a credential that is refused: which one it was. */
  readonly credential: string | Hint;
  /** Interrupts the reading of a large reply. */
  readonly signal?: AbortSignal | undefined;
  /** Takes the credentials out of a text of the service. */
  readonly redact: (text: string) => string;
}

const LONGEST_MESSAGE = 1000;
const LONGEST_WORD = 64;

/**
 * A failure in the service's own words. Its `status` decides, the HTTP status only where there is none. An answer with
 * `details` is never followed by the same request again: what they say was written has been written.
 */
export function serviceFailure(error: unknown, reply: WireReply, reading: Reading): Failed {
  const { redact } = reading;
  const fields: Readonly<Record<string, unknown>> = typeof error === 'object' && error !== null ? { ...error } : {};
  const word = textOf(fields['status'], LONGEST_WORD) ?? wordOfHttp(reply.httpStatus);
  const details = fields['details'] ?? undefined;
  const said = textOf(fields['message'], LONGEST_MESSAGE) ?? textOf(error, LONGEST_MESSAGE);
  const code = typeof fields['code'] === 'number' ? ` [code ${fields['code']}]` : '';
  const message = redact(said ?? `the service failed without a message (HTTP ${reply.httpStatus})`) + code;
  const meaning = meaningOf(word, reply.httpStatus);
  const repeat = repeatOf(meaning, message, details);
  const isQuota = meaning.repeat === 'after_pause' && repeat === 'never';
  const advice = isQuota ? QUOTA_HINT : hintFor(meaning.failure, reading, details);
  return {
    kind: 'failed',
    error: new ServiceError(meaning.failure, message, {
      ...(word && { status: redact(word) }),
      ...(advice && { hint: typeof advice === 'string' ? redact(advice) : advice.reworded(redact) }),
      ...(isQuota && { retryable: false }),
      httpStatus: reply.httpStatus,
      details,
      isOwnEnvelope: isKnownWord(fields['status']) && typeof fields['message'] === 'string',
    }),
    applied: meaning.applied,
    repeat,
    retryAfter: reply.retryAfter,
    forMinute: fields['status'] === 'RESOURCE_EXHAUSTED',
  };
}

function repeatOf({ repeat }: Meaning, message: string, details: unknown): Failed['repeat'] {
  if (repeat === 'after_pause') return namesMaximum(message) ? 'never' : repeat;
  return details === undefined ? repeat : 'never';
}

function textOf(value: unknown, longest: number): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return value.length > longest ? `${value.slice(0, longest)}…` : value;
}

/** Who switches a feature on, and how. */
const SWITCHES: Readonly<Record<Feature, string | NextStep>> = {
  'advanced-queries': 'whoever runs the service can do that',
  'advanced-webhooks': step('change', 'webhooks', 'advanced', 'update', '--enable'),
};

function hintFor(failure: Failure, { operation, credential }: Reading, details: unknown): string | Hint | undefined {
  const { feature } = operation;
  switch (failure) {
    case 'unauthenticated':
    case 'permission_denied':
      return credential;
    case 'failed_precondition':
      return (
        feature && hint`the service needs ${feature.replaceAll('-', ' ')} switched on for this: ${SWITCHES[feature]}`
      );
    case 'resource_exhausted':
      return rateLimitHint(operation);
    case 'invalid_argument':
      return issueHint(details);
    default:
      return undefined;
  }
}

const QUOTA_HINT = 'this is a quota, which no waiting lifts: ask for less, or have whoever runs the service raise it';

/** A request that goes out once is not sent again after a rate limit, however long svc may wait. */
export function rateLimitHint({ effect }: CalledOperation): string {
  return effect === 'once' ? 'try again later' : 'try again later; --max-wait sets how long to wait for the rate limit';
}

/** The first of `details.issues`, with its path. */
function issueHint(details: unknown): string | undefined {
  const { issues } = Object(details) as { readonly issues?: unknown };
  const first: unknown = Array.isArray(issues) ? issues[0] : undefined;
  const { path, message } = Object(first) as { readonly path?: unknown; readonly message?: unknown };
  const where = Array.isArray(path) && path.length > 0 ? `${path.map(String).join('.')}: ` : '';
  return typeof message === 'string' ? textOf(where + message, LONGEST_MESSAGE) : undefined;
}
