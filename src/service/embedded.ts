import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Address } from '../kernel/listening.ts';
import { nextTurn } from '../kernel/next-turn.ts';
import type { Switches } from './app.ts';
import { type LocalCredentials, localCredentials } from './bootstrap.ts';
import type { Answerer } from './request.ts';
import { createService } from './service.ts';
import type { Serving } from './serving.ts';
import { openStore } from './store/open.ts';

export interface EmbeddedOptions extends Switches {
  readonly clock: Clock;
  /** Aborts the opening, with its reason. */
  readonly signal?: AbortSignal;
  /** Receives errors that no caller sees: those behind INTERNAL responses, of work after a response, and of deliveries. */
  readonly report?: (error: unknown) => void;
}

/** The embedded service in this process, and the credentials of its first workspace. */
export interface Embedded {
  /** Answers a request in this process, as the network would. */
  readonly fetch: typeof globalThis.fetch;
  /** Answers a request that a server has read. */
  readonly answer: Answerer;
  readonly target: {
    readonly baseUrl: string;
    readonly headerPrefix: string;
    readonly key: Pick<LocalCredentials, 'apiKey' | 'authToken'>;
    readonly workspace: Pick<LocalCredentials, 'workspaceId' | 'workspaceAuthToken'>;
  };
  /** Serves on a port until `close` is called, and delivers webhooks. */
  serve(address: Address, options?: ServeOptions): Promise<Serving>;
  /** Waits for work that calls left behind, then closes the store. */
  close(): Promise<void>;
}

export interface ServeOptions {
  /** Factor of every delay between delivery attempts (default: 1). */
  readonly timeScale?: number;
}

/**
 * Opens the embedded service on its store; the first use creates the store and a workspace. Other processes may use the same store
 * at the same time.
 * @param location a path of an SQLite file, or a PostgreSQL URL; see `storeLocation`
 * @throws SvcError `local` when the store cannot be opened
 */
export async function openEmbedded(location: string, options: EmbeddedOptions): Promise<Embedded> {
  const { signal, ...rest } = options;
  const store = await openStore(location, { ...(signal && { signal }) });
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = await localCredentials(store);
  const service = createService({ store, ...rest });
  return {
    fetch: async (input, init) => {
      // Lets signals and timers run between calls: SQLite answers without waiting for anything.
      await nextTurn();
      return service.fetch(input, init);
    },
    answer: service.answer,
    target: {
      baseUrl: 'http://localhost',
      headerPrefix: DEFAULT_HEADER_PREFIX,
      key: { apiKey, authToken },
      workspace: { workspaceId, workspaceAuthToken },
    },
    serve: async (address, { timeScale = 1 } = {}) => {
      const { startServing } = await import('./serving.ts');
      return startServing({ store, answer: service.answer, ...rest, timeScale }, address);
    },
    close: async () => {
      await service.settled();
      await store.close();
    },
  };
}
