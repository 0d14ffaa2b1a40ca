import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { systemClock } from '../kernel/clock.ts';
import { localCredentials } from '../service/bootstrap.ts';
import { startDeliveries } from '../service/deliveries/engine.ts';
import { finishMigrations } from '../service/records/migrations.ts';
import type { Answerer } from '../service/request.ts';
import { startServer } from '../service/server.ts';
import { createService } from '../service/service.ts';
import { openStore } from '../service/store/open.ts';
import type { Store } from '../service/store/store.ts';

export interface ServiceSettings {
  /** The SQLite file, or the URL of the PostgreSQL database, that keeps the data. Unless given, a temporary file that goes when the service is closed. */
  readonly store?: string;
  /** Parts that it does not have, so that calls to them are refused. */
  readonly without?: readonly ('advanced-queries' | 'advanced-webhooks')[];
  /** It answers RESOURCE_EXHAUSTED to more calls than this in a window of so many milliseconds. */
  readonly rateLimit?: { readonly calls: number; readonly window: number };
  /** It answers a bulk call with INTERNAL and `details` when some of its documents fail. */
  readonly strict?: boolean;
}

/** The backend in this process. */
export interface EmbeddedService {
  /** Answers a request without the network. */
  readonly fetch: typeof globalThis.fetch;
  /** What `createClient` takes to call it in this process. */
  readonly client: {
    readonly baseUrl: string;
    readonly headerPrefix: string;
    readonly apiKey: string;
    readonly authToken: string;
    readonly workspaceId: string;
    readonly workspaceAuthToken: string;
    readonly fetch: typeof globalThis.fetch;
  };
  /** Answers on a port too, a free one of 127.0.0.1 unless told, and delivers webhooks from then on. */
  listen(address?: { readonly host?: string; readonly port?: number }): Promise<{ readonly url: string }>;
  /** Finishes what is under way, then gives everything back. */
  close(): Promise<void>;
}

/** As `createService` says. */
export async function openService(settings: ServiceSettings): Promise<EmbeddedService> {
  const { store: given, ...switches } = settings;
  const place = await storePlace(given);
  const store = await openStore(place.path);
  const credentials = await localCredentials(store);
  const service = createService({ store, clock: systemClock, ...switches });
  const closers: (() => Promise<void>)[] = [];
  return {
    fetch: service.fetch,
    client: {
      ...{ baseUrl: 'http://localhost', headerPrefix: DEFAULT_HEADER_PREFIX },
      ...pairsOf(credentials),
      fetch: service.fetch,
    },
    listen: async ({ host = '127.0.0.1', port = 0 } = {}) => {
      const { url, close } = await serve(store, service.answer, { host, port });
      closers.push(close);
      return { url };
    },
    close: async () => {
      await Promise.all(closers.map((close) => close()));
      await service.settled();
      await store.close();
      await place.remove();
    },
  };
}

function pairsOf(credentials: Awaited<ReturnType<typeof localCredentials>>) {
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = credentials;
  return { apiKey, authToken, workspaceId, workspaceAuthToken };
}

async function storePlace(given: string | undefined): Promise<{ path: string; remove(): Promise<void> }> {
  if (given !== undefined) return { path: given, remove: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'svc-'));
  return { path: join(folder, 'service.sqlite'), remove: () => rm(folder, { recursive: true, force: true }) };
}

async function serve(store: Store, answer: Answerer, address: { host: string; port: number }) {
  await finishMigrations(store);
  const server = await startServer(answer, address);
  const deliveries = startDeliveries(store, {
    clock: systemClock,
    timeScale: 1,
    privateTargets: server.isLoopback,
    report: () => undefined,
  });
  return {
    url: server.url,
    close: async () => void (await Promise.all([server.close(), deliveries.stop()])),
  };
}
