import { onTestFinished } from 'vitest';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Switches } from '../../src/service/app.ts';
import { type LocalCredentials, localCredentials } from '../../src/service/bootstrap.ts';
import type { Answerer } from '../../src/service/request.ts';
import { createService } from '../../src/service/service.ts';
import { openStore } from '../../src/service/store/open.ts';
import type { Store } from '../../src/service/store/store.ts';
import { newStorePlace } from './store-place.ts';

export interface World {
  readonly path: string;
  readonly store: Store;
  readonly credentials: LocalCredentials;
  readonly clock: Clock & { time: number };
  /** Errors behind INTERNAL answers. */
  readonly reported: unknown[];
  readonly fetch: typeof globalThis.fetch;
  readonly answer: Answerer;
  /** Resolves once what calls left to be done is done. */
  readonly settled: () => Promise<void>;
  /** Posts `{data}` with the credentials of the operation's kind, and checks a success against the catalog. */
  call(path: string, data: unknown, headers?: Record<string, string>): Promise<Answer>;
  keyHeaders(): Record<string, string>;
  workspaceHeaders(): Record<string, string>;
}

export interface Answer {
  readonly http: number;
  readonly body: { readonly result?: Result; readonly error?: ErrorBody };
}

interface Result {
  readonly [sibling: string]: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly data: any;
}

interface ErrorBody {
  readonly status: string;
  readonly message: string;
  readonly details?: { readonly issues: readonly unknown[] };
}

/** A service on a store of this test's own, with a clock that stands still. */
export async function serviceWorld(switches: Switches = {}): Promise<World> {
  const path = await newStorePlace();
  const store = await openStore(path);
  const credentials = await localCredentials(store);
  const clock = { time: 1_700_000_000_000, now: () => clock.time, sleep: async () => undefined };
  const reported: unknown[] = [];
  const { fetch, answer, settled } = createService({
    store,
    clock,
    report: (error) => reported.push(error),
    ...switches,
  });
  onTestFinished(async () => {
    await settled();
    await store.close();
  });
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = credentials;
  const keyHeaders = () => ({ 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken });
  const workspaceHeaders = () => ({
    'x-svc-workspace-id': workspaceId,
    'x-svc-workspace-auth-token': workspaceAuthToken,
  });
  return {
    path,
    store,
    credentials,
    clock,
    reported,
    fetch,
    answer,
    settled,
    keyHeaders,
    workspaceHeaders,
    call: async (operation, data, headers) => {
      const entry = entryOf(operation, data);
      const credential = entry?.auth === 'workspace' ? workspaceHeaders() : keyHeaders();
      const response = await post(fetch, operation, JSON.stringify({ data }), headers ?? credential);
      const answer = { http: response.status, body: JSON.parse(await response.text()) };
      if (entry && answer.body.result) {
        const { output } = await loadOperation(entry.resource, entry.name);
        output.parse(answer.body.result.data);
      }
      return answer;
    },
  };
}

function entryOf(path: string, data: unknown) {
  const entries = manifest.filter((entry) => entry.path === path);
  const isGiven = (field = '') => typeof data === 'object' && data !== null && Object.hasOwn(data, field);
  return entries.find(({ chosenBy }) => isGiven(chosenBy)) ?? entries.find(({ chosenBy }) => chosenBy === undefined);
}

export function post(
  fetch: typeof globalThis.fetch,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  url = 'http://localhost',
): Promise<Response> {
  const json = { 'content-type': 'application/json' };
  return fetch(`${url}${path}`, { method: 'POST', headers: { ...json, ...headers }, body });
}

/** A second API key with a world of its own, and the headers to use it. */
export async function secondKey({ store, credentials }: World): Promise<Record<string, string>> {
  const [apiKey, token] = ['second-key', 'second-token'];
  await store.write(async (database) => {
    const { workspaceId } = credentials;
    await database
      .insertInto('apiKeys')
      .values({ id: apiKey, workspaceId, apiKeyName: 'Two', type: 'testing' })
      .execute();
    await database.insertInto('authTokens').values({ apiKey, token, name: 'Default', domains: '[]' }).execute();
  });
  return { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
}
