import { randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import type { Operation, SplitIds } from '../catalog/define.ts';
import { SvcError } from '../kernel/errors.ts';
import { type Fields, isObject } from '../kernel/json.ts';
import { once } from '../kernel/once.ts';
import { rememberSecret } from '../kernel/redact.ts';
import { createSendOnce } from './attempt.ts';
import { createSendWithRetries } from './call.ts';
import type { ClientOptions } from './client-options.ts';
import type { CallOutcome, CallResult, Client } from './client-types.ts';
import { secretValuesOf } from './credentials.ts';
import {
  type CalledOperation,
  createPlannedRequest,
  createWireRequest,
  type WireRequest,
} from './request.ts';
import { ServiceError } from './service-error.ts';
import { normalizeBaseUrl } from './target.ts';
import { assertAllowed } from './write-guard.ts';

export type { CallEvent, PlannedRequest } from './call-event.ts';
export type { ClientOptions } from './client-options.ts';
export type { CallOutcome, CallResult, Client } from './client-types.ts';
export type { CalledOperation } from './request.ts';
export type { Target } from './target.ts';

/** @throws SvcError `usage` if the target's base URL is invalid */
export function createClient(options: ClientOptions): Client {
  const { target, dryRun } = options;
  for (const secret of secretValuesOf(target)) rememberSecret(secret);
  const baseUrl = normalizeBaseUrl(target.baseUrl, options.insecureHttp ?? false);
  const sendOnce = createSendOnce(options);
  const sendWithRetries = createSendWithRetries(options, sendOnce);
  /** If the permission is refused, all writes reject with its error, and none is sent. */
  const ensureWritesAllowed = once(async () => {
    assertAllowed(options, { effect: 'once' });
    await options.beforeWrite?.();
  });
  async function execute(
    operation: CalledOperation,
    request: WireRequest,
  ): Promise<CallOutcome<unknown>> {
    if (dryRun) {
      await dryRun(createPlannedRequest(request, secretValuesOf(target)));
      return { sent: false };
    }
    assertAllowed(options, operation);
    if (operation.effect !== 'read') await ensureWritesAllowed();
    const span = options.tracer?.startCall(operation);
    const traced = { ...request, headers: { ...request.headers, ...options.headers }, span };
    let failure: string | undefined = 'aborted';
    const { success, ...stats } = await sendWithRetries(operation, traced)
      .then((sent) => {
        failure = undefined;
        return sent;
      })
      .catch((error: unknown) => {
        if (error instanceof SvcError) failure = error.failure;
        throw error;
      })
      .finally(() => span?.end(failure));
    return {
      sent: true,
      confirmed: success.confirmed === true,
      data: success.data,
      result: success.result,
      ...stats,
    };
  }

  const send: Client['send'] = async (operation, data) => {
    const createRequest = (content: unknown) =>
      createWireRequest(target, baseUrl, operation, JSON.stringify({ data: content }));
    const request = createRequest(data);
    try {
      const outcome = await execute(operation, request);
      assertFound(operation, data, outcome);
      return outcome;
    } catch (error) {
      if (operation.splitIds) {
        const sendPart = (part: unknown) => execute(operation, createRequest(part));
        return recoverPartialRead(error, operation, data, sendPart);
      }
      const { settleByLookup } = await import('./lookup.ts');
      return settleByLookup(error, operation, data, {
        ...options,
        send,
        secrets: secretValuesOf(target),
      });
    }
  };
  return {
    send,
    sendText: (operation, dataText, ids) =>
      execute(
        operation,
        createWireRequest(target, baseUrl, operation, `{"data":${dataText}}`, ids),
      ),
    ensureWritesAllowed: async () => {
      if (!dryRun) await ensureWritesAllowed();
    },
    // The response was checked against the schema but not parsed by it, which would drop IDs such
    // as __proto__.
    call: async <Input extends z.ZodMiniObject, Output extends z.ZodMiniType>(
      operation: Operation<Input, Output>,
      input: z.input<Input>,
    ) =>
      (await send(operation, withGeneratedId(operation.generatedId, input))) as CallOutcome<
        z.output<Output>
      >,
  };
}

/**
 * @throws SvcError `not_found` if one record was requested and the list is empty: some services
 * return that instead of NOT_FOUND.
 */
function assertFound(
  { singleRecordId }: CalledOperation,
  data: unknown,
  outcome: CallOutcome<unknown>,
): void {
  const id = singleRecordId && isObject(data) ? data[singleRecordId] : undefined;
  if (singleRecordId === undefined || id === undefined || !outcome.sent) return;
  if (outcome.data !== null && !(Array.isArray(outcome.data) && outcome.data.length === 0)) return;
  throw new SvcError('not_found', `${singleRecordId.replace(/Id$/, '')} not found: ${String(id)}`, {
    status: 'NOT_FOUND',
  });
}

/** Adds a generated ID if the input has none, so that a repeated call cannot apply twice. */
function withGeneratedId(
  generatedId: string | undefined,
  input: Readonly<Record<string, unknown>>,
) {
  if (!generatedId || input[generatedId] !== undefined) return input;
  return { ...input, [generatedId]: randomUUID() };
}

type Results = Map<string, unknown>;
const STATUS_FIELDS = ['success', 'message', 'code'];

/**
 * Recovers the records of a failed read by IDs from the error's `details`: a service may fail the
 * whole call because of one ID. The result contains the records that exist, as in a successful
 * call. One more request fetches the records of results without fields, and retries the IDs that
 * failed with an internal error.
 * @throws the error if its details are not results, or if an ID still fails for a reason other than
 * "not found"
 */
async function recoverPartialRead(
  thrown: unknown,
  { splitIds }: CalledOperation,
  data: unknown,
  send: (data: Fields) => Promise<CallOutcome<unknown>>,
): Promise<CallResult<unknown>> {
  const ids = splitIds && isObject(data) ? data[splitIds.field] : undefined;
  const results = Array.isArray(ids) ? findResults(thrown, ids) : undefined;
  if (!splitIds || !results || !isObject(data)) throw thrown;
  const incomplete = [...results].filter(
    ([, result]) => hasCode(result, 'internal') || hasNoFields(result, splitIds),
  );
  const sendPart = (part: readonly string[]) => send({ ...data, [splitIds.field]: part });
  if (incomplete.length > 0)
    await retryIds([...new Map(incomplete).keys()], results, splitIds, sendPart);
  const existing = [...results].filter(([, result]) => !hasCode(result, 'not-found'));
  if (existing.some(([, result]) => hasFailed(result))) throw thrown;
  const records = existing.map(([id, result]) => recordOf(id, result as Fields, splitIds));
  const { retries } = thrown as ServiceError;
  const stats = { retries, waits: 0, waited: 0, hadUnknownAttempt: false };
  return { sent: true, confirmed: false, data: records, result: { data: records }, ...stats };
}

function findResults(thrown: unknown, ids: readonly string[]): Results | undefined {
  if (!(thrown instanceof ServiceError) || thrown.failure === 'invalid_argument') return undefined;
  const { details } = thrown;
  if (Array.isArray(details))
    return details.length === ids.length
      ? new Map(ids.map((id, at) => [id, details[at]]))
      : undefined;
  if (!isObject(details) || !ids.some((id) => Object.hasOwn(details, id))) return undefined;
  return new Map(ids.map((id) => [id, Object.hasOwn(details, id) ? details[id] : undefined]));
}

async function retryIds(
  ids: readonly string[],
  results: Results,
  { recordId }: SplitIds,
  send: (ids: readonly string[]) => Promise<CallOutcome<unknown>>,
): Promise<void> {
  try {
    const outcome = await send(ids);
    if (!outcome.sent || !Array.isArray(outcome.data)) return;
    for (const id of ids) if (hasCode(results.get(id), 'internal')) results.delete(id);
    for (const record of outcome.data.filter(isObject))
      results.set(String(record[recordId]), record);
  } catch (error) {
    for (const [id, result] of findResults(error, ids) ?? []) results.set(id, result);
  }
}

function recordOf(id: string, result: Fields, { recordId }: SplitIds): Fields {
  const fields = Object.entries(result).filter(([name]) => !STATUS_FIELDS.includes(name));
  return { ...Object.fromEntries(fields), [recordId]: id };
}

function hasFailed(result: unknown): boolean {
  return !isObject(result) || result['success'] === false || typeof result['code'] === 'string';
}

function hasCode(result: unknown, code: 'not-found' | 'internal'): boolean {
  return isObject(result) && result['code'] === code;
}

function hasNoFields(result: unknown, { recordId }: SplitIds): boolean {
  if (!isObject(result) || hasFailed(result)) return false;
  return Object.keys(result).every((name) => name === recordId || STATUS_FIELDS.includes(name));
}
