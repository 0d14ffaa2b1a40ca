import { valueAt } from '../kernel/field-path.ts';
import { hint, step } from '../kernel/hint.ts';
import { isObject } from '../kernel/is-object.ts';
import { parseAnswer } from './answer-body.ts';
import { confirmsAll } from './confirmation.ts';
import type { Failed, Outcome, Success } from './outcome.ts';
import type { CalledOperation } from './request.ts';
import { ForeignResponse } from './service-error.ts';
import { type Reading, serviceFailure } from './service-failure.ts';
import { meaningOfHttp } from './status.ts';
import type { WireReply } from './transport.ts';

/**
 * Makes sense of a reply. An `error` is a failure whatever the HTTP status; a success may lack its `data`, and its
 * `result` wrapper too; everything else is unusable, and then the HTTP status says what may be done next.
 */
export function readReply(reply: WireReply, reading: Reading): Outcome {
  if (reply.httpStatus >= 300 && reply.httpStatus < 400) return redirected(reply, reading);
  if (isConfirmed(reply, reading)) return confirmedSuccess(reply);
  const parsed = parseAnswer(reply.answer);
  if ('flaw' in parsed) return unusable(parsed.flaw, reply, reading);
  const body = parsed.value;
  if (isObject(body) && Object.hasOwn(body, 'error')) return serviceFailure(body['error'], reply, reading);
  if (!isSuccess(reply.httpStatus)) return unusable('no error to tell what happened', reply, reading);
  return readResult(body, reply, reading);
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

function readResult(body: unknown, reply: WireReply, reading: Reading): Outcome {
  const { operation } = reading;
  const result = resultOf(body);
  if (result === undefined) {
    return isBareData(body, operation)
      ? bareSuccess(body)
      : unusable('JSON that is not the expected answer', reply, reading);
  }
  if (!isObject(result)) {
    return operation.output ? unusable('a result that is no object', reply, reading) : bareSuccess(result);
  }
  const { status } = result;
  if (status !== undefined && status !== 'success') return serviceFailure(result, reply, reading);
  if (status === undefined && !operation.output && !Object.hasOwn(result, 'data')) return bareSuccess(result);
  const success: Success = { kind: 'success', data: result['data'] ?? null, result };
  const empty = operation.output && status === undefined && success.data === null;
  if (empty || !isExpected(success.data, operation)) {
    return unusable(`data of an unexpected form${oddField(success.data, operation)}`, reply, reading);
  }
  return success;
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

/** A bulk reply is read item by item by who knows the items, so that one odd item does not spoil the others. */
function isExpected(data: unknown, operation: CalledOperation): boolean {
  if (data === null) return !operation.revealsSecrets;
  return operation.bulk ? isObject(data) : fitsSchema(data, operation) || onlyLacksFields(data, operation);
}

/**
 * Data that is as described but for fields that are not there: a service may leave out what it does not know. At least
 * one has to be there to know the data by, and where the command is about a secret all of them.
 */
function onlyLacksFields(data: unknown, { output, revealsSecrets }: CalledOperation): boolean {
  const issues = output?.safeParse(data).error?.issues ?? [];
  const lacking = issues.every(({ path }) => valueAt(data, path) === undefined);
  if (!lacking || revealsSecrets) return false;
  if (Array.isArray(data)) return data.every((item) => isObject(item) && Object.keys(item).length > 0);
  const { shape } = output as { readonly shape?: object };
  return isObject(data) && Object.keys(shape ?? {}).some((field) => data[field] !== undefined);
}

function isBareData(body: unknown, operation: CalledOperation): boolean {
  if (!operation.output) return true;
  const holdsAnything = Array.isArray(body) || (isObject(body) && Object.keys(body).length > 0);
  return holdsAnything && fitsSchema(body, operation);
}

function fitsSchema(data: unknown, { output }: CalledOperation): boolean {
  return !output || output.safeParse(data).success;
}

/** Where the data is not as described, ` at 0.createdAt`; nothing where it is all of it. */
function oddField(data: unknown, { output, bulk }: CalledOperation): string {
  const path = bulk ? undefined : output?.safeParse(data).error?.issues[0]?.path;
  return path?.length ? ` at ${path.join('.')}` : '';
}

function isSuccess(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus < 300;
}

function unusable(what: string, { httpStatus, retryAfter }: WireReply, { host, credential }: Reading): Failed {
  const { failure, applied, repeat } = meaningOfHttp(httpStatus);
  const refused = failure === 'unauthenticated' || failure === 'permission_denied';
  const error = new ForeignResponse(failure, `${host} answered with ${what} (HTTP ${httpStatus})`, {
    hint: refused ? credential : BASE_URL_HINT,
  });
  return { kind: 'failed', error, applied, repeat, retryAfter };
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
