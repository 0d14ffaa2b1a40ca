import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../kernel/clock.ts';
import { openEmbedded } from '../service/embedded.ts';
import type { RunningService } from '../service/serving.ts';

export interface ServiceSettings {
  /** SQLite file or PostgreSQL URL of the store (default: a temporary file that `close` deletes). */
  readonly store?: string;
  /** Features to disable; calls to them fail. */
  readonly without?: readonly ('advanced-queries' | 'advanced-webhooks')[];
  /** Maximum number of calls per window, in milliseconds; further calls fail with RESOURCE_EXHAUSTED. */
  readonly rateLimit?: { readonly calls: number; readonly window: number };
  /** Makes bulk calls fail with INTERNAL and `details` if some of their documents fail. */
  readonly strict?: boolean;
}

export interface EmbeddedService {
  /** Handles a request without the network. */
  readonly fetch: typeof globalThis.fetch;
  /** Settings for `createClient` to call this service. */
  readonly client: {
    readonly baseUrl: string;
    readonly headerPrefix: string;
    readonly apiKey: string;
    readonly authToken: string;
    readonly workspaceId: string;
    readonly workspaceAuthToken: string;
    readonly fetch: typeof globalThis.fetch;
  };
  /** Also listens on a port (default: a free port on 127.0.0.1), and starts to deliver webhooks. */
  listen(address?: { readonly host?: string; readonly port?: number }): Promise<{ readonly url: string }>;
  /** Waits for requests in flight, then releases all resources. */
  close(): Promise<void>;
}

/** Implements `createService` in a separate module, which is loaded on demand. */
export async function openEmbeddedService(settings: ServiceSettings): Promise<EmbeddedService> {
  const { store, ...switches } = settings;
  const location = await resolveStore(store);
  const embedded = await openEmbedded(location.path, { clock: systemClock, ...switches });
  const { baseUrl, headerPrefix, key, workspace } = embedded.target;
  const servers: RunningService[] = [];
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
      await location.remove();
    },
  };
}

async function resolveStore(store: string | undefined): Promise<{ path: string; remove(): Promise<void> }> {
  if (store !== undefined) return { path: store, remove: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'svc-'));
  return { path: join(folder, 'service.sqlite'), remove: () => rm(folder, { recursive: true, force: true }) };
}
