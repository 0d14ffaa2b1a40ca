import type { Failure } from '../kernel/errors.ts';
import { type Hint, hint, step } from '../kernel/hint.ts';
import { inSlices, otherEvents } from '../kernel/in-slices.ts';
import { isObject } from '../kernel/is-object.ts';
import { parseAnswer } from './answer-body.ts';
import { confirmsAll } from './confirmation.ts';
import { oddPart } from './data-form.ts';
import type { Failed, Outcome, Success } from './outcome.ts';
import type { CalledOperation } from './request.ts';
import { ForeignResponse, RequestTooLarge } from './service-error.ts';
import { type Reading, rateLimitHint, serviceFailure } from './service-failure.ts';
import { meaningOfHttp } from './status.ts';
import type { WireReply } from './transport.ts';

/** Characters of an answer from which on it is checked part by part, so that a signal still interrupts. */
const LARGE = 1_000_000;

/**
 * Makes sense of a reply. An `error` is a failure whatever the HTTP status; a success may lack its `data`, and its
 * `result` wrapper too; everything else is unusable, and then the HTTP status says what may be done next. Rejects with
 * the reason of the reading's signal.
 */
export async function readReply(reply: WireReply, reading: Reading): Promise<Outcome> {
  if (reply.httpStatus >= 300 && reply.httpStatus < 400) return redirected(reply, reading);
  if (isConfirmed(reply, reading)) return confirmedSuccess(reply);
  const large = 'text' in reply.answer && reply.answer.text.length > LARGE;
  const parsed = parseAnswer(reply.answer);
  if (large) await otherEvents(reading.signal);
  if ('flaw' in parsed) return unusable(parsed.flaw, reply, reading);
  const body = parsed.value;
  if (isObject(body) && Object.hasOwn(body, 'error')) return serviceFailure(body['error'], reply, reading);
  if (!isSuccess(reply.httpStatus)) return unusable('no error to tell what happened', reply, reading);
  return inSlices(readResult(body, reply, reading, large), reading.signal);
}

function isConfirmed({ httpStatus, answer }: WireReply, { expected }: Reading): boolean {
  return httpStatus === 200 && expected !== undefined && 'text' in answer && confirmsAll(answer.text, expected);
}

function confirmedSuccess({ answer }: WireReply): Success {
  const result = () => ('text' in answer ? JSON.parse(answer.text).result : {});
  return {
    kind: 'success',
    confirmed: true,
    get data() {
      return result().data;
    },
    get result() {
      return result();
    },
  };
}

function* readResult(body: unknown, reply: WireReply, reading: Reading, large: boolean): Generator<undefined, Outcome> {
  const { operation } = reading;
  const result = resultOf(body);
  if (result === undefined) {
    const isData =
      isBareData(body, operation) && (yield* oddField(body, operation, { strict: true, large })) === undefined;
    return isData ? bareSuccess(body) : unusable('JSON that is not the expected answer', reply, reading);
  }
  if (!isObject(result)) {
    return operation.output ? unusable('a result that is no object', reply, reading) : bareSuccess(result);
  }
  const { status } = result;
  if (status !== undefined && status !== 'success') return serviceFailure(result, reply, reading);
  if (status === undefined && !operation.output && !Object.hasOwn(result, 'data')) return bareSuccess(result);
  const success: Success = { kind: 'success', data: result['data'] ?? null, result };
  const odd =
    operation.output && status === undefined && success.data === null
      ? ''
      : yield* oddData(success.data, operation, large);
  return odd === undefined ? success : unusable(`data of an unexpected form${odd}`, reply, reading);
}

/** Data that came without its envelope. */
function bareSuccess(data: unknown): Success {
  return { kind: 'success', data, result: { data } };
}

/** The `result`, or the body itself where it looks like one: some answers come without the wrapper. */
function resultOf(body: unknown): unknown {
  if (!isObject(body)) return undefined;
  if (Object.hasOwn(body, 'result')) return body['result'];
  const looksLikeResult = Object.hasOwn(body, 'data') || ('status' in body && typeof body['message'] === 'string');
  return looksLikeResult ? body : undefined;
}

/**
 * Where data is not as the operation describes it: nothing when it is. A bulk reply is read item by item by who knows the
 * items, so that one odd item does not spoil the others. Where the command is about a secret nothing may be missing.
 */
function* oddData(data: unknown, operation: CalledOperation, large: boolean): Generator<undefined, string | undefined> {
  const { bulk, revealsSecrets: strict = false } = operation;
  if (data === null) return strict ? '' : undefined;
  if (bulk) return isObject(data) ? undefined : '';
  return yield* oddField(data, operation, { strict, large });
}

/** ` at 0.createdAt` where the data is not as described, no place where it is all of it, and nothing when it is as described. */
function* oddField(
  data: unknown,
  { output }: CalledOperation,
  rules: Parameters<typeof oddPart>[2],
): Generator<undefined, string | undefined> {
  const path = output && (yield* oddPart(data, output, rules));
  return path && (path.length > 0 ? ` at ${path.join('.')}` : '');
}

function isBareData(body: unknown, { output }: CalledOperation): boolean {
  return !output || Array.isArray(body) || (isObject(body) && Object.keys(body).length > 0);
}

function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}

function unusable(what: string, { httpStatus, retryAfter }: WireReply, reading: Reading): Failed {
  const { host } = reading;
  const { failure, applied, repeat } = meaningOfHttp(httpStatus);
  if (httpStatus === 413) return { kind: 'failed', error: new RequestTooLarge(host), applied, repeat, retryAfter };
  const error = new ForeignResponse(failure, `${host} answered with ${what} (HTTP ${httpStatus})`, {
    hint: hintFor(failure, reading),
  });
  return { kind: 'failed', error, applied, repeat, retryAfter };
}

function hintFor(failure: Failure, { operation, credential }: Reading): string | Hint {
  if (failure === 'unauthenticated' || failure === 'permission_denied') return credential;
  return failure === 'resource_exhausted' ? rateLimitHint(operation) : BASE_URL_HINT;
}

const BASE_URL_HINT = hint`check that the base URL is the service itself: ${step('show', 'auth', 'status')} shows where it comes from`;

/** A redirect is refused whatever its body says: following it would hand the credentials to another host. */
function redirected({ httpStatus, location }: WireReply, { host }: Reading): Failed {
  const elsewhere = location && /^https?:/i.test(location) && URL.parse(location);
  const to = elsewhere ? ` to ${elsewhere.origin}` : '';
  const message = `${host} answered with a redirect${to} (HTTP ${httpStatus}); redirects are not followed`;
  return {
    kind: 'failed',
    error: new ForeignResponse('unusable_answer', message, { hint: BASE_URL_HINT }),
    applied: 'no',
    repeat: 'never',
  };
}
