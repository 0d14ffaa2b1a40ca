import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../kernel/clock.ts';
import { openEmbedded } from '../service/embedded.ts';
import type { Serving } from '../service/serving.ts';

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
  const embedded = await openEmbedded(place.path, { clock: systemClock, ...switches });
  const { baseUrl, headerPrefix, key, workspace } = embedded.target;
  const servers: Serving[] = [];
  return {
    fetch: embedded.fetch,
    client: { baseUrl, headerPrefix, ...key, ...workspace, fetch: embedded.fetch },
    listen: async ({ host = '127.0.0.1', port = 0 } = {}) => {
      const server = await embedded.serve({ host, port });
      servers.push(server);
      return { url: server.url };
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
      await embedded.close();
      await place.remove();
    },
  };
}

async function storePlace(given: string | undefined): Promise<{ path: string; remove(): Promise<void> }> {
  if (given !== undefined) return { path: given, remove: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'svc-'));
  return { path: join(folder, 'service.sqlite'), remove: () => rm(folder, { recursive: true, force: true }) };
}
