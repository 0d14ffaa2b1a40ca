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
  /** Aborts the opening, with its reason. */
  readonly signal?: AbortSignal;
  /** Receives errors that no caller sees: those behind INTERNAL responses, of work after a response, and of deliveries. */
  readonly report?: (error: unknown) => void;
  /** Receives each call except health checks, once its response exists. */
  readonly onCall?: ServiceDependencies['onCall'];
}

/** The embedded service in this process, and the credentials of its first workspace. */
export interface EmbeddedInstance {
  /** Handles a request in this process, like a server on the network. */
  readonly fetch: typeof globalThis.fetch;
  /** Returns the records that do not exist, in order. @throws Refusal if the store rejects the request */
  findMissingParents(parents: readonly Parent[]): Promise<readonly MissingParent[]>;
  /** Handles a request that a server has received. */
  readonly handle: RequestHandler;
  readonly target: {
    readonly baseUrl: string;
    readonly headerPrefix: string;
    readonly key: Pick<LocalCredentials, 'apiKey' | 'authToken'>;
    readonly workspace: Pick<LocalCredentials, 'workspaceId' | 'workspaceAuthToken'>;
  };
  /** Serves on a port until `close` is called, and delivers webhooks. `timeScale` multiplies every delay between delivery attempts. */
  serve(address: ListenAddress, options?: { readonly timeScale?: number }): Promise<RunningService>;
  /** Waits for the follow-ups of calls, then closes the store. */
  close(): Promise<void>;
}

/**
 * Opens the embedded service on its store. The first use creates the store and a workspace. Other processes may use the
 * same store at the same time.
 * @param location a path of an SQLite file, or a PostgreSQL URL; see `resolveStoreLocation`
 * @throws SvcError `local` if the store cannot be opened
 */
export async function openEmbedded(location: string, options: EmbeddedOptions): Promise<EmbeddedInstance> {
  const { signal, ...rest } = options;
  const store = await openStore(location, { ...(signal && { signal }) });
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = await ensureLocalCredentials(store);
  const service = createService({ store, ...rest });
  return {
    fetch: async (input, init) => {
      // Lets signals and timers run between calls, because SQLite calls never yield to the event loop.
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
