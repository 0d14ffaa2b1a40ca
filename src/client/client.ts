import type * as z from 'zod';
import type { Operation } from '../catalog/define.ts';
import type { Clock } from '../kernel/clock.ts';
import { meetSecret } from '../kernel/redact.ts';
import { createAttempt } from './attempt.ts';
import { createCall, type Effort } from './call.ts';
import type { CallEvent, PlannedRequest } from './call-event.ts';
import { secretValues } from './credentials.ts';
import type { SharedGate } from './gate.ts';
import type { NetworkProxy } from './proxy.ts';
import { type CalledOperation, plannedRequest, textRequest, type WireRequest, wireRequest } from './request.ts';
import { checkedBaseUrl, type Target } from './target.ts';
import { fetchTransport, type Transport } from './transport.ts';
import { guardWrites } from './write-permit.ts';

export type { CallEvent, PlannedRequest } from './call-event.ts';
export type { CalledOperation } from './request.ts';
export type { Target } from './target.ts';

export interface ClientOptions {
  readonly target: Target;
  readonly clock: Clock;
  /** Who answers: the network, or an embedded service in this process. */
  readonly fetch: typeof globalThis.fetch;
  /** Connections for many calls, opened when the first of them is made. Whoever gives them closes them. */
  readonly pool?: () => Promise<Transport>;
  /** What `fetch` goes through, for errors. */
  readonly proxy?: NetworkProxy;
  /** Milliseconds one attempt may take, from the first byte sent to the last one received. */
  readonly attemptTimeout: number;
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

/** A success: `data` as the service sent it (every field kept), and the whole `result` around it. */
export interface Answer<Data> extends Effort {
  readonly sent: true;
  /** Each of the ids that were handed in, and no other, is answered with success. */
  readonly confirmed: boolean;
  /** Null when the service sent none. */
  readonly data: Data | null;
  readonly result: Readonly<Record<string, unknown>>;
}

/** What a call gives: an answer, or nothing because it was only planned. */
export type Reply<Data> = Answer<Data> | { readonly sent: false };

/** Calls operations of one service. All its calls share one budget of retries and one pause for rate limits. */
export interface Client {
  /**
   * Calls one operation, with retries as its effect allows.
   * @throws SvcError of the kind that the service's `error.status` or the failed transport stands for: a ServiceError
   * with `error.details` where the service said so itself, `outcome_unknown` where a write may have been applied, and
   * the reason of `signal` when that aborts. The error counts the retries.
   */
  call<Input extends z.ZodObject, Output extends z.ZodType>(
    operation: Operation<Input, Output>,
    input: z.input<Input>,
  ): Promise<Reply<z.output<Output>>>;
  /** As `call`, for a path that the catalog need not know and any JSON as its data. */
  send(operation: CalledOperation, data: unknown): Promise<Reply<unknown>>;
  /**
   * As `send`, for data that is JSON text already, and for many calls: it takes `pool` where there is one. Nobody looks
   * into the text. Of a batch of these ids, an answer that says of each that it succeeded is `confirmed` and not parsed.
   */
  sendText(operation: CalledOperation, dataText: string, ids?: readonly string[]): Promise<Reply<unknown>>;
  /** Settles now what `beforeWrite` settles, for a run that would otherwise be asked in its midst. */
  permitWrites(): Promise<void>;
}

/** @throws SvcError `usage` when the target's base URL is not usable. */
export function createClient(options: ClientOptions): Client {
  const { target, dryRun } = options;
  for (const secret of secretValues(target)) meetSecret(secret);
  const baseUrl = checkedBaseUrl(target.baseUrl, options.insecureHttp ?? false);
  let transport = fetchTransport(options.fetch, options.attemptTimeout);
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

  const send: Client['send'] = async (operation, data) =>
    exchange(operation, wireRequest(target, baseUrl, operation, data));
  return {
    send,
    sendText: async (operation, dataText, ids) => {
      if (options.pool && !dryRun) transport = await options.pool();
      return exchange(operation, textRequest(target, baseUrl, operation, dataText, ids));
    },
    permitWrites: async () => {
      if (!dryRun) await permit();
    },
    // The schema has seen what is in a reply, and what it would drop (an id such as __proto__) stays.
    call: async <Input extends z.ZodObject, Output extends z.ZodType>(
      operation: Operation<Input, Output>,
      input: z.input<Input>,
    ) => (await send(operation, input)) as Reply<z.output<Output>>,
  };
}
