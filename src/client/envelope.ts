import { type Failure, type Hint, hint, step } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { runInSlices, yieldToEvents } from '../kernel/run-in-slices.ts';
import { createCertificatePageError } from './client-certificate.ts';
import { findUnexpectedValue } from './data-check.ts';
import { describeForeignBody } from './foreign-body.ts';
import type { SendFailure, SendOutcome, SendSuccess } from './outcome.ts';
import type { CalledOperation } from './request.ts';
import { parseBody } from './response-body.ts';
import { withRetryAfter } from './retry-after.ts';
import { ForeignResponseError, GatewayError, RequestTooLargeError } from './service-error.ts';
import {
  createRateLimitHint,
  parseServiceFailure,
  type ResponseContext,
} from './service-failure.ts';
import { interpretHttpStatus } from './status.ts';
import type { WireResponse } from './transport.ts';

/**
 * Length in characters above which a signal can interrupt the check of a response. A shorter text
 * may have thousands of flaws, and each zod error is slow to create.
 */
const LARGE_BODY = 50_000;

/**
 * Interprets a response. An `error` is a failure, regardless of the HTTP status. A success may lack
 * `data` and the `result` wrapper. Any other response is unusable, perhaps from a proxy: it does not
 * prove that a write was not applied, and the HTTP status decides whether to retry. Rejects with the reason of the context's signal.
 */
export async function parseResponse(
  response: WireResponse,
  context: ResponseContext,
): Promise<SendOutcome> {
  const outcome = await interpretResponse(response, context);
  return outcome.kind === 'failed' ? withRetryAfter(outcome, response, context.now) : outcome;
}

async function interpretResponse(
  response: WireResponse,
  context: ResponseContext,
): Promise<SendOutcome> {
  if (response.httpStatus >= 300 && response.httpStatus < 400)
    return createRedirectFailure(response, context);
  if (isConfirmed(response, context)) return CONFIRMED;
  const large = 'text' in response.body && response.body.text.length > LARGE_BODY;
  const parsed = parseBody(response.body);
  if (large) await yieldToEvents(context.signal);
  if ('flaw' in parsed) return createUnusableFailure(parsed.flaw, response, context);
  const body = parsed.value;
  if (isObject(body) && Object.hasOwn(body, 'error'))
    return parseServiceFailure(body['error'], response, context);
  const isSuccess = response.httpStatus >= 200 && response.httpStatus < 300;
  if (!isSuccess) return createUnusableFailure('JSON without an error', response, context);
  return runInSlices(readResult(body, response, context, large), context.signal);
}

function isConfirmed(
  { httpStatus, body }: WireResponse,
  { expectedIds }: ResponseContext,
): boolean {
  return (
    httpStatus === 200 &&
    expectedIds !== undefined &&
    'text' in body &&
    confirmsAll(body.text, expectedIds)
  );
}

const CONFIRMED: SendSuccess = { kind: 'success', confirmed: true, data: null, result: {} };

function* readResult(
  body: unknown,
  response: WireResponse,
  context: ResponseContext,
  large: boolean,
) {
  const { operation } = context;
  const result = resultOf(body);
  if (result === undefined) {
    const isData =
      isBareData(body, operation) &&
      (yield* findUnexpectedField(body, operation, { strict: true, large })) === undefined;
    return isData ? bareSuccess(body) : createUnusableFailure('unexpected JSON', response, context);
  }
  if (!isObject(result))
    return operation.output
      ? createUnusableFailure('a result that is not an object', response, context)
      : bareSuccess(result);
  const { status } = result;
  if (status !== undefined && status !== 'success')
    return parseServiceFailure(result, response, context);
  if (status === undefined && !operation.output && !Object.hasOwn(result, 'data'))
    return bareSuccess(result);
  const success: SendSuccess = { kind: 'success', data: result['data'] ?? null, result };
  const mismatch =
    operation.output && status === undefined && success.data === null
      ? ''
      : yield* findUnexpectedData(success.data, operation, large);
  if (mismatch === undefined) return success;
  const isOwnEnvelope = status === 'success' && result !== body;
  const blamed = isOwnEnvelope ? { ...context, hint: DEVIATION_HINT } : context;
  return createUnusableFailure(`unexpected data${mismatch}`, response, blamed);
}

function bareSuccess(data: unknown): SendSuccess {
  return { kind: 'success', data, result: { data } };
}

/**
 * Returns the `result`, or the body itself if it looks like one: some responses lack the wrapper.
 */
function resultOf(body: unknown): unknown {
  if (!isObject(body)) return undefined;
  if (Object.hasOwn(body, 'result')) return body['result'];
  const looksLikeResult =
    Object.hasOwn(body, 'data') || ('status' in body && typeof body['message'] === 'string');
  return looksLikeResult ? body : undefined;
}

/**
 * Returns the location of unexpected data, such as ` at 0.createdAt`; `undefined` if the data
 * matches the operation's schema. The bulk engine checks bulk responses item by item, so that one
 * bad item does not affect the others. If the operation reveals secrets, no field may be missing.
 */
function* findUnexpectedData(data: unknown, operation: CalledOperation, large: boolean) {
  const { bulk, revealsSecrets: strict = false } = operation;
  if (data === null) return strict ? '' : undefined;
  if (bulk) return isObject(data) ? undefined : '';
  return yield* findUnexpectedField(data, operation, { strict, large });
}

function* findUnexpectedField(
  data: unknown,
  { output }: CalledOperation,
  rules: Parameters<typeof findUnexpectedValue>[2],
): Generator<undefined, string | undefined> {
  const path = output && (yield* findUnexpectedValue(data, output, rules));
  return path && (path.length > 0 ? ` at ${path.join('.')}` : '');
}

function isBareData(body: unknown, { output }: CalledOperation): boolean {
  return !output || Array.isArray(body) || (isObject(body) && Object.keys(body).length > 0);
}

function createUnusableFailure(
  flaw: string,
  response: WireResponse,
  context: ResponseContext & { readonly hint?: Hint },
): SendFailure {
  const { httpStatus, body } = response;
  const { hasClientCertificate = false } = context;
  const certificateError =
    'text' in body &&
    createCertificatePageError(httpStatus, body.text, context.host(), hasClientCertificate);
  if (certificateError)
    return { kind: 'failed', error: certificateError, applied: 'no', retry: 'never' };
  const { failure, retry } = interpretHttpStatus(httpStatus);
  const failed = { kind: 'failed', applied: 'maybe', retry } as const;
  if (httpStatus === 413) return { ...failed, error: new RequestTooLargeError(context.host()) };
  const description = context.redact(describeForeignBody(response));
  if (isFromGateway(httpStatus)) {
    const message = `the proxy at ${context.host()} did not reach the service (HTTP ${httpStatus})${description}`;
    const error = new GatewayError('unreachable', message, { hint: createGatewayHint(context) });
    return { ...failed, retry: 'until_reached', error };
  }
  const { hint = httpStatus >= 500 ? FAILED_HINT : createUnusableHint(failure, context) } = context;
  const message = `${context.host()} returned ${flaw} (HTTP ${httpStatus})${description}`;
  return { ...failed, error: new ForeignResponseError(failure, message, { hint }) };
}

/**
 * Whether an HTTP status is that of a proxy that gets no response, or no valid one, from the service
 * behind it. Content delivery networks use 520 to 527, and 530.
 */
function isFromGateway(httpStatus: number): boolean {
  return (
    (httpStatus >= 502 && httpStatus <= 504) ||
    (httpStatus >= 520 && httpStatus <= 527) ||
    httpStatus === 530
  );
}

function createGatewayHint({ operation }: ResponseContext): string {
  const advice = 'try again when the service is up';
  return operation.effect === 'once' ? advice : `${advice}, or retry for longer with --retry-for`;
}

function createUnusableHint(
  failure: Failure,
  { operation, credentialHint }: ResponseContext,
): string | Hint {
  switch (failure) {
    case 'unauthenticated':
      return credentialHint();
    case 'permission_denied':
      return BLOCKED_HINT;
    case 'resource_exhausted':
      return createRateLimitHint(operation);
    default:
      return BASE_URL_HINT;
  }
}

const BLOCKED_HINT =
  'the response is not from the service; a firewall or proxy in front of it may block the request, so ask its operator to allow it';
const FAILED_HINT =
  'the service or a proxy in front of it failed: try again later, and report the error to its operator if it persists';
const DEVIATION_HINT = hint`the response is from the service, but has another form than documented: report it to the operator of the service; to print it unchecked, see ${step('help', 'api', '--help')}`;
const BASE_URL_HINT = hint`check that the base URL points to the service itself; to see where it is set, run ${step('show', 'whoami', '--all')}`;

function createRedirectFailure(
  { httpStatus, location }: WireResponse,
  { host }: ResponseContext,
): SendFailure {
  const target = location && /^https?:/i.test(location) && URL.parse(location);
  const to = target ? ` to ${target.origin}` : '';
  const message = `${host()} responded with a redirect${to} (HTTP ${httpStatus}); svc does not follow redirects`;
  const error = new ForeignResponseError('invalid_response', message, { hint: BASE_URL_HINT });
  return { kind: 'failed', error, applied: 'maybe', retry: 'never' };
}

/**
 * Matches escapes and control characters, which the patterns below do not support. Without them, a
 * quote ends a string.
 */
const UNSUPPORTED = /[^ -[\]-\uFFFF]/;
const SCALAR = String.raw`(?:"[^"]*"|true|false|null|-?(?:0|[1-9]\d{0,300}))`;
/**
 * Repetitions of a group. Without a limit, a very long response could overflow the stack of the
 * regular expression.
 */
const MANY = '{0,99}';

/** Creates a pattern for a member with a scalar value, other than those with the given names. */
const otherThan = (...names: readonly string[]) =>
  ` *"(?!(?:${names.join('|')})")[^"]*" *: *${SCALAR} *`;

const SUCCESS = ' *"success" *: *true *';
const OTHER_FIELD = otherThan('success');
/** Matches an item that succeeded, up to the delimiter that follows it. */
const ITEM = new RegExp(
  ` *"([^"]*)" *: *\\{(?:${OTHER_FIELD},)${MANY}${SUCCESS}(?:,(?:${SUCCESS}|${OTHER_FIELD}))${MANY}\\} *([,}])`,
  'y',
);
const BESIDE_DATA = `(?: *"status" *: *"success" *|${otherThan('status', 'data')})`;
const BEFORE_ITEMS = new RegExp(
  `^ *\\{ *"result" *: *\\{(?:${BESIDE_DATA},)${MANY} *"data" *: *\\{`,
);
const AFTER_ITEMS = new RegExp(`^ *(?:,${BESIDE_DATA})${MANY}\\} *\\} *$`);

/**
 * Whether a response reports success for exactly these IDs, in order. Much faster than parsing;
 * false if unsure.
 */
export function confirmsAll(text: string, ids: readonly string[]): boolean {
  const [before] = (!UNSUPPORTED.test(text) && BEFORE_ITEMS.exec(text)) || [];
  if (before === undefined) return false;
  ITEM.lastIndex = before.length;
  for (let next = 0; next < ids.length; next += 1) {
    const [, id, delimiter] = ITEM.exec(text) ?? [];
    if (id !== ids[next] || delimiter !== (next < ids.length - 1 ? ',' : '}')) return false;
  }
  const after = text.slice(ITEM.lastIndex);
  return AFTER_ITEMS.test(after) && (before + after).match(/"status" *:/g)?.length === 1;
}
