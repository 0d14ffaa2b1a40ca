import type * as z from 'zod/mini';
import type { Operation } from '../catalog/define.ts';
import { SvcError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { once } from '../kernel/once.ts';
import { rememberSecret } from '../kernel/redact.ts';
import { createSendOnce } from './attempt.ts';
import { createSendWithRetries } from './call.ts';
import type { ClientOptions } from './client-options.ts';
import type { CallOutcome, Client } from './client-types.ts';
import { secretValuesOf } from './credentials.ts';
import {
  type CalledOperation,
  createPlannedRequest,
  createWireRequest,
  type WireRequest,
} from './request.ts';
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
        const { recoverPartialRead } = await import('./partial-read.ts');
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
      (await send(operation, await withGeneratedId(operation.generatedId, input))) as CallOutcome<
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
async function withGeneratedId(
  generatedId: string | undefined,
  input: Readonly<Record<string, unknown>>,
) {
  if (!generatedId || input[generatedId] !== undefined) return input;
  const { randomUUID } = await import('node:crypto');
  return { ...input, [generatedId]: randomUUID() };
}
