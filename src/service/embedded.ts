import type { Parent } from '../catalog/define.ts';
import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ListenAddress } from '../kernel/listening.ts';
import { yieldToEvents } from '../kernel/run-in-slices.ts';
import type { ServiceDependencies, ServiceOptions } from './app.ts';
import { ensureLocalCredentials, type LocalCredentials } from './bootstrap.ts';
import type { MissingParent } from './records/parent-ids.ts';
import type { RequestHandler } from './request.ts';
import { createService } from './service.ts';
import type { RunningService } from './serving.ts';
import { openStore } from './store/open.ts';

export interface EmbeddedOptions extends ServiceOptions {
  readonly clock: Clock;
  /** Cancels the opening of the store. */
  readonly signal?: AbortSignal;
  /** Receives the causes of INTERNAL responses, and errors of follow-ups and deliveries. */
  readonly report?: (error: unknown) => void;
  /** Receives each call after its response is created, except for health checks. */
  readonly onCall?: ServiceDependencies['onCall'];
}

/** An embedded service in this process, with the credentials of its first workspace. */
export interface EmbeddedInstance {
  /** Handles a request without a network. */
  readonly fetch: typeof globalThis.fetch;
  /** Returns the parents that do not exist, in order. @throws Refusal if the store rejects the request */
  findMissingParents(parents: readonly Parent[]): Promise<readonly MissingParent[]>;
  readonly handle: RequestHandler;
  readonly target: {
    readonly baseUrl: string;
    readonly headerPrefix: string;
    readonly key: Pick<LocalCredentials, 'apiKey' | 'authToken'>;
    readonly workspace: Pick<LocalCredentials, 'workspaceId' | 'workspaceAuthToken'>;
  };
  /** Serves on a port and delivers webhooks. `timeScale` multiplies the delays between delivery attempts. */
  serve(address: ListenAddress, options?: { readonly timeScale?: number }): Promise<RunningService>;
  /** Waits for follow-ups and closes the store. */
  close(): Promise<void>;
}

/**
 * Opens the embedded service on a store. Creates the store and a workspace if necessary. Several processes may use a
 * store.
 * @param location path of a SQLite file, or a PostgreSQL URL; see `resolveStoreLocation`
 * @throws SvcError `local` if the store cannot be opened
 */
export async function openEmbedded(location: string, options: EmbeddedOptions): Promise<EmbeddedInstance> {
  const { signal, ...rest } = options;
  const store = await openStore(location, { ...(signal && { signal }) });
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = await ensureLocalCredentials(store);
  const service = createService({ store, ...rest });
  return {
    fetch: async (input, init) => {
      // SQLite calls never yield to the event loop, so signals and timers run between calls.
      await yieldToEvents();
      return service.fetch(input, init);
    },
    findMissingParents: async (parents) => {
      const { findMissingParents } = await import('./records/parent-ids.ts');
      return store.read((database) => findMissingParents(database, apiKey, parents));
    },
    handle: service.handle,
    target: {
      baseUrl: 'http://localhost',
      headerPrefix: DEFAULT_HEADER_PREFIX,
      key: { apiKey, authToken },
      workspace: { workspaceId, workspaceAuthToken },
    },
    serve: async (address, { timeScale = 1 } = {}) => {
      const { startServing } = await import('./serving.ts');
      return startServing({ store, handle: service.handle, ...rest, timeScale }, address);
    },
    close: async () => {
      await service.whenIdle();
      await store.close();
    },
  };
}
