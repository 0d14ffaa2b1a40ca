import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { loadOperation } from '../catalog/index.ts';
import { manifest } from '../catalog/manifest.ts';
import { createClient as createInternalClient, type Target } from '../client/client.ts';
import { httpTransport } from '../client/http-transport.ts';
import type { Answer } from '../client/interface.ts';
import { pages } from '../client/pages.ts';
import type { Transport } from '../client/transport.ts';
import { systemClock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import type { Input, OperationName, Output } from './operations.ts';

/** Whom to call and as whom. Nothing is read from the environment, from profiles or from a keychain. */
export interface ClientSettings {
  /** Origin and optional path: `https://api.example.com`. */
  readonly baseUrl: string;
  /** What the names of the credentials' headers begin with; `x-svc-` unless given. */
  readonly headerPrefix?: string;
  /** The API key and its auth token, which most operations are called with. */
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  /** The workspace and its auth token, which operations on the workspace itself are called with. */
  readonly workspaceId?: string | undefined;
  readonly workspaceAuthToken?: string | undefined;
  /** Who answers; the network unless given. */
  readonly fetch?: typeof globalThis.fetch;
  /** Milliseconds that one attempt may take; 60,000 unless given. */
  readonly timeout?: number;
  /** Milliseconds that all waiting for rate limits may take together; 600,000 unless given, and 0 never waits. */
  readonly maxWait?: number;
  /** Ends every call, with its reason. */
  readonly signal?: AbortSignal;
  /** Allows plain http to other hosts than this one. */
  readonly insecureHttp?: boolean;
}

/** Calls the service, and repeats a call as far as what it does allows. All calls wait for rate limits together. */
export interface Client {
  /**
   * Calls one operation.
   * @returns `data` as the service sent it; null where it sent none
   * @throws SvcError whose `failure` says what kind it is
   */
  call<Name extends OperationName>(operation: Name, input: Input<Name>): Promise<Output<Name> | null>;
  /** Calls an operation that answers page by page until there are no more: the data of each page. */
  pages<Name extends OperationName>(operation: Name, input: Input<Name>): AsyncIterable<Output<Name> | null>;
}

const DEFAULTS = { headerPrefix: DEFAULT_HEADER_PREFIX, timeout: 60_000, maxWait: 600_000 };

/** @throws SvcError `usage` when the base URL is not usable */
export function createClient(settings: ClientSettings): Client {
  const { timeout, maxWait, signal, insecureHttp } = { ...DEFAULTS, ...settings };
  const client = createInternalClient({
    target: targetOf(settings),
    clock: systemClock,
    transport: transportOf(settings.fetch, timeout),
    maxWait,
    ...(signal && { signal }),
    ...(insecureHttp && { insecureHttp }),
  });
  return {
    call: async (name, input) => {
      const reply = await client.call(await operationNamed(name), input);
      return reply.sent ? dataOf<typeof name>(reply) : null;
    },
    async *pages(name, input) {
      for await (const answer of pages(client, await operationNamed(name), input)) yield dataOf<typeof name>(answer);
    },
  };
}

/** The library of fetches is loaded for whoever brings one. */
function transportOf(fetch: typeof globalThis.fetch | undefined, attemptTimeout: number): Transport {
  if (!fetch) return httpTransport({ attemptTimeout }).transport;
  return async (request, signal) => {
    const { fetchTransport } = await import('../client/fetch-transport.ts');
    return fetchTransport(fetch, attemptTimeout)(request, signal);
  };
}

function targetOf(settings: ClientSettings): Target {
  const { baseUrl, headerPrefix, apiKey, authToken, workspaceId, workspaceAuthToken } = { ...DEFAULTS, ...settings };
  return {
    ...{ baseUrl, headerPrefix },
    ...(apiKey && authToken && { key: { apiKey, authToken } }),
    ...(workspaceId && workspaceAuthToken && { workspace: { workspaceId, workspaceAuthToken } }),
    withheld: 'the settings of the client lack it',
  };
}

async function operationNamed(name: OperationName) {
  const entry = manifest.find((known) => known.name === name);
  if (!entry) throw new SvcError('usage', `there is no operation '${name}'`);
  return loadOperation(entry.resource, entry.name);
}

/** The operation was looked up by its name, which is what its output's type is looked up by; TypeScript sees any operation. */
function dataOf<Name extends OperationName>({ data }: Answer<unknown>): Output<Name> | null {
  return data as Output<Name> | null;
}
