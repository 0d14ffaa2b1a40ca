import { onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { defineOperation, type Effect } from '../../src/catalog/define.ts';
import { itemResults } from '../../src/catalog/fields.ts';
import {
  type CallEvent,
  type ClientOptions,
  createClient,
  type Target,
} from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/fetch-transport.ts';
import { createHttpTransport } from '../../src/client/http-transport.ts';
import type { Transport } from '../../src/client/transport.ts';
import { FAILURES, SvcError } from '../../src/kernel/errors.ts';

export const API_KEY = 'apikey-3f9a77c1d2';
export const AUTH_TOKEN = 'auth+token/8c1f0a52b79d4e63';
export const WORKSPACE_ID = 'workspace-51c2e8';
export const WORKSPACE_TOKEN = 'wstoken-0d4be19c77aa52f8';

export const target = (baseUrl = 'https://api.example.test'): Target => ({
  baseUrl,
  headerPrefix: 'x-svc-',
  key: { apiKey: API_KEY, authToken: AUTH_TOKEN },
  workspace: { workspaceId: WORKSPACE_ID, workspaceAuthToken: WORKSPACE_TOKEN },
});

/** A clock that advances only by sleeping, without delay, and records each sleep. */
export function fakeClock(start = Date.UTC(2030, 0, 1)) {
  let now = start;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    sleep: async (milliseconds: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      slept.push(milliseconds);
      now += milliseconds;
    },
  };
}

export type Step = Response | Error | ((request: Request) => Response | Promise<Response>);

/**
 * A `fetch` that responds with each step in turn, then repeats the last one. Records the requests.
 */
export function scriptedFetch(...steps: readonly Step[]) {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const step = steps[Math.min(requests.length, steps.length - 1)];
    requests.push(request);
    if (step === undefined) throw new Error('nothing was scripted');
    if (step instanceof Error) throw step;
    return step instanceof Response ? step.clone() : step(request);
  };
  return { fetch, requests };
}

interface NewClient extends Partial<ClientOptions> {
  /** Sends the requests (default: over the network). */
  readonly fetch?: typeof globalThis.fetch;
  readonly attemptTimeout?: number;
}

export function newClient({ fetch, attemptTimeout = 10_000, ...options }: NewClient) {
  const clock = fakeClock();
  const events: Record<string, unknown>[] = [];
  const client = createClient({
    target: target(),
    clock,
    transport: fetch ? createFetchTransport(fetch, attemptTimeout) : overHttp(attemptTimeout),
    maxWait: 600_000,
    random: () => 0.5,
    observe: (event) => events.push(printable(event)),
    ...options,
  });
  return { client, clock, events };
}

/** The event with all its texts, like an observer that prints everything. */
function printable(event: CallEvent): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(event).map(([name, value]) => [
      name,
      typeof value === 'function' ? value() : value,
    ]),
  );
}

/** A transport over Node's HTTP client, closed at the end of the test. */
export function overHttp(attemptTimeout: number): Transport {
  const { transport, close } = createHttpTransport({ attemptTimeout });
  onTestFinished(close);
  return transport;
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });

export const success = (data: unknown = { id: 'a' }) =>
  json({ result: { status: 'success', message: 'ok', data } });

export const failure = (
  status: string,
  http: number,
  message = 'no',
  headers: Record<string, string> = {},
) => json({ error: { status, message } }, http, headers);

/** The error that fetch throws for a system error. */
export const networkError = (code: string, fields: Record<string, unknown> = {}) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, ...fields }) });

/** Common fields of the test operations. */
export const thing = {
  summary: 'A thing',
  path: '/v2/things',
  auth: 'key',
  effect: 'read',
  input: z.object({ name: z.optional(z.string()) }),
  output: z.looseObject({ id: z.string() }),
  message: 'ok',
  decision: 'a thing is returned',
  settings: 'read',
  sample: () => ({}),
} as const;

const operation = (effect: Effect) => defineOperation('things.call', { ...thing, effect });

export const OPERATIONS = {
  read: operation('read'),
  keyed: operation('keyed'),
  set: operation('set'),
  delete: operation('delete'),
  once: operation('once'),
};

export const listThings = defineOperation('things.call', {
  ...thing,
  output: z.array(z.looseObject({ id: z.string() })),
});

export const addThings = defineOperation('things.call', {
  ...thing,
  effect: 'keyed',
  sample: () => ({ things: [] }),
  input: z.object({ things: z.array(z.looseObject({ id: z.string() })) }),
  output: itemResults,
  bulk: { field: 'things', id: 'id', noun: 'thing' },
});

export const readWorkspace = defineOperation('things.call', { ...thing, auth: 'workspace' });

/** Returns the SvcError that a promise rejects with; fails in any other case. */
export async function errorOf(promise: Promise<unknown>): Promise<SvcError & { exitCode: number }> {
  const thrown = await promise.then(
    (value) => new Error(`it resolved with ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(thrown instanceof SvcError)) throw thrown;
  return Object.assign(thrown, { exitCode: FAILURES[thrown.failure].exitCode });
}
