import { onTestFinished } from 'vitest';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { ServiceOptions } from '../../src/service/app.ts';
import type { RequestHandler } from '../../src/service/calls/request.ts';
import { createService } from '../../src/service/embedded.ts';
import {
  ensureLocalCredentials,
  type LocalCredentials,
} from '../../src/service/records/bootstrap.ts';
import type { Store } from '../../src/service/store/store.ts';
import { openEmptyStore } from './store-location.ts';

export interface TestService {
  readonly path: string;
  readonly store: Store;
  readonly credentials: LocalCredentials;
  readonly clock: Clock & { time: number };
  /** Errors that caused INTERNAL responses. */
  readonly reported: unknown[];
  readonly fetch: typeof globalThis.fetch;
  readonly handle: RequestHandler;
  /** Resolves when the follow-up work of calls is done. */
  readonly whenIdle: () => Promise<void>;
  /**
   * Posts `{data}` with the required credentials, and checks successful results against the
   * catalog.
   */
  call(path: string, data: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  keyHeaders(): Record<string, string>;
  workspaceHeaders(): Record<string, string>;
}

export interface TestResponse {
  readonly http: number;
  readonly body: { readonly result?: ResponseResult; readonly error?: ErrorBody };
}

/** Creates the response of a successful call. */
export const success = (message: string, data: object) => ({
  http: 200,
  body: { result: { status: 'success', message, data } },
});

interface ResponseResult {
  readonly [sibling: string]: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly data: any;
}

interface ErrorBody {
  readonly status: string;
  readonly message: string;
  readonly details?: { readonly issues: readonly unknown[] };
}

/** Starts a service on a new store, with a clock that advances only on request. */
export async function startTestService(options: ServiceOptions = {}): Promise<TestService> {
  const { path, store } = await openEmptyStore();
  const credentials = await ensureLocalCredentials(store);
  const clock = { time: 1_700_000_000_000, now: () => clock.time, sleep: async () => undefined };
  const reported: unknown[] = [];
  const { fetch, handle, whenIdle } = createService({
    store,
    clock,
    report: (error) => reported.push(error),
    ...options,
  });
  onTestFinished(whenIdle);
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
    handle,
    whenIdle,
    keyHeaders,
    workspaceHeaders,
    call: async (operation, data, headers) => {
      const entry = findManifestEntry(operation, data);
      const credential = entry?.auth === 'workspace' ? workspaceHeaders() : keyHeaders();
      const response = await post(
        fetch,
        operation,
        JSON.stringify({ data }),
        headers ?? credential,
      );
      const result = { http: response.status, body: JSON.parse(await response.text()) };
      if (entry && result.body.result) {
        const { output } = await loadOperation(entry.resource, entry.name);
        output.parse(result.body.result.data);
      }
      return result;
    },
  };
}

function findManifestEntry(path: string, data: unknown) {
  const entries = manifest.filter((entry) => entry.path === path);
  const hasField = (field = '') =>
    typeof data === 'object' && data !== null && Object.hasOwn(data, field);
  return (
    entries.find(({ selectedBy }) => hasField(selectedBy)) ??
    entries.find(({ selectedBy }) => selectedBy === undefined)
  );
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

/** Adds a second API key, and returns the headers to use it. */
export async function addSecondKey({
  store,
  credentials,
}: TestService): Promise<Record<string, string>> {
  const [apiKey, token] = ['second-key', 'second-token'];
  await store.write(async (database) => {
    const { workspaceId } = credentials;
    await database
      .insertInto('apiKeys')
      .values({ id: apiKey, workspaceId, apiKeyName: 'Two', type: 'testing' })
      .execute();
    await database
      .insertInto('authTokens')
      .values({ apiKey, token, name: 'Default', domains: '[]' })
      .execute();
  });
  return { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
}
