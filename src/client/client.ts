import type * as z from 'zod';
import type { Operation } from '../catalog/define.ts';
import type { Clock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { isObject } from '../kernel/is-object.ts';
import { meetSecret } from '../kernel/redact.ts';
import { createAttempt } from './attempt.ts';
import { createCall } from './call.ts';
import type { CallEvent, PlannedRequest } from './call-event.ts';
import { secretValues } from './credentials.ts';
import type { SharedGate } from './gate.ts';
import type { Client, Reply } from './interface.ts';
import type { NetworkProxy } from './proxy.ts';
import { type CalledOperation, plannedRequest, textRequest, type WireRequest, wireRequest } from './request.ts';
import { checkedBaseUrl, type Target } from './target.ts';
import type { Transport } from './transport.ts';
import { guardWrites } from './write-permit.ts';

export type { CallEvent, PlannedRequest } from './call-event.ts';
export type { Answer, Client, Reply } from './interface.ts';
export type { CalledOperation } from './request.ts';
export type { Target } from './target.ts';

export interface ClientOptions {
  readonly target: Target;
  readonly clock: Clock;
  /** The way to who answers: over the network, or to an embedded service in this process. */
  readonly transport: Transport;
  /** Connections for many batches, opened for the second of them. Whoever gives them closes them. */
  readonly pool?: () => Promise<Transport>;
  /** What the transport goes through, for errors. */
  readonly proxy?: NetworkProxy;
  /** Milliseconds all waiting for rate limits may take together; 0 never waits. */
  readonly maxWait: number;
  /** What other runs on this machine met of the same rate limit. */
  readonly sharedGate?: SharedGate;
  /** Where a planned request goes instead of the service. Given, no request leaves. */
  readonly dryRun?: (request: PlannedRequest) => Promise<void>;
  readonly observe?: (event: CallEvent) => void;
  /** Called once, before the first request that is no read leaves. Throws when nothing may be written. */
  readonly beforeWrite?: () => Promise<void>;
  /** Ends every call at once, with its reason. A batch of records in flight is still waited for. */
  readonly signal?: AbortSignal;
  /** Allows plain http to other hosts. */
  readonly insecureHttp?: boolean;
  /** Numbers from 0 up to 1 that spread retries and pauses; `Math.random` unless given. */
  readonly random?: () => number;
}

/** @throws SvcError `usage` when the target's base URL is not usable. */
export function createClient(options: ClientOptions): Client {
  const { target, dryRun } = options;
  for (const secret of secretValues(target)) meetSecret(secret);
  const baseUrl = checkedBaseUrl(target.baseUrl, options.insecureHttp ?? false);
  let { transport } = options;
  let batches = 0;
  const attempt = createAttempt(options, (request, signal) => transport(request, signal));
  const { call, permit } = guardWrites(createCall(options, attempt), options.beforeWrite);
  async function exchange(operation: CalledOperation, request: WireRequest): Promise<Reply<unknown>> {
    if (dryRun) {
      await dryRun(plannedRequest(request, secretValues(target)));
      return { sent: false };
    }
    const { success, ...effort } = await call(operation, request);
    return {
      sent: true,
      confirmed: success.confirmed === true,
      get data() {
        return success.data;
      },
      get result() {
        return success.result;
      },
      ...effort,
    };
  }

  const send: Client['send'] = async (operation, data) => {
    const request = wireRequest(target, baseUrl, operation, data);
    try {
      const reply = await exchange(operation, request);
      requireFound(operation, data, reply);
      return reply;
    } catch (error) {
      if (operation.splitIds) {
        const { settleByDetails } = await import('./partial-read.ts');
        const ask = (part: unknown) => exchange(operation, wireRequest(target, baseUrl, operation, part));
        return settleByDetails(error, operation, data, ask);
      }
      const { settleByLooking } = await import('./lookup.ts');
      return settleByLooking(error, operation, data, { ...options, send, secrets: secretValues(target) });
    }
  };
  return {
    send,
    sendText: async (operation, dataText, ids) => {
      batches += 1;
      if (options.pool && batches > 1 && !dryRun) transport = await options.pool();
      return exchange(operation, textRequest(target, baseUrl, operation, dataText, ids));
    },
    permitWrites: async () => {
      if (!dryRun) await permit();
    },
    // The schema has seen what is in a reply, and what it would drop (an id such as __proto__) stays.
    call: async <Input extends z.ZodObject, Output extends z.ZodType>(
      operation: Operation<Input, Output>,
      input: z.input<Input>,
    ) => (await send(operation, await withOwnId(operation, input))) as Reply<z.output<Output>>,
  };
}

/** @throws SvcError `not_found` for an empty list where one record was asked for: services answer with that or with NOT_FOUND. */
function requireFound({ oneById }: CalledOperation, data: unknown, reply: Reply<unknown>): void {
  const id = oneById && isObject(data) ? data[oneById] : undefined;
  if (oneById === undefined || id === undefined || !reply.sent) return;
  if (reply.data !== null && !(Array.isArray(reply.data) && reply.data.length === 0)) return;
  throw new SvcError('not_found', `${oneById.replace(/Id$/, '')} not found: ${String(id)}`, { status: 'NOT_FOUND' });
}

/** With the id that makes a repeated call the same one, made up where the input has none. */
async function withOwnId({ mints }: Pick<Operation, 'mints'>, input: Readonly<Record<string, unknown>>) {
  if (!mints || input[mints] !== undefined) return input;
  const { randomUUID } = await import('node:crypto');
  return { ...input, [mints]: randomUUID() };
}
