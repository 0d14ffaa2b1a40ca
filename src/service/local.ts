import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Folders } from '../kernel/folders.ts';
import { nextTurn } from '../kernel/next-turn.ts';
import { type LocalCredentials, localCredentials } from './bootstrap.ts';
import type { Answerer } from './request.ts';
import { createService } from './service.ts';
import { storeLocation } from './store/location.ts';
import { openStore } from './store/open.ts';

export interface LocalWorld {
  readonly folders: Folders;
  readonly clock: Clock;
  /** Where the data is, other than in the user's data folder. */
  readonly store?: string;
  /** Ends the opening, with its reason. */
  readonly signal?: AbortSignal;
}

/** The embedded service in this process, and how to call it as its own workspace. */
export interface LocalService {
  readonly fetch: typeof globalThis.fetch;
  /** The same for a port. */
  readonly answer: Answerer;
  readonly target: {
    readonly baseUrl: string;
    readonly headerPrefix: string;
    readonly key: Pick<LocalCredentials, 'apiKey' | 'authToken'>;
    readonly workspace: Pick<LocalCredentials, 'workspaceId' | 'workspaceAuthToken'>;
  };
  close(): Promise<void>;
}

/** Opens the service on its store; the first use makes both. Other processes may use the same store meanwhile. */
export async function openLocalService({ folders, clock, store: given, signal }: LocalWorld): Promise<LocalService> {
  const store = await openStore(await storeLocation(given, folders), { ...(signal && { signal }) });
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = await localCredentials(store);
  const service = createService({ store, clock });
  return {
    fetch: async (input, init) => {
      // SQLite answers without waiting for anything, so a long run of calls would never let a signal or a timer be heard.
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
    close: async () => {
      await service.settled();
      await store.close();
    },
  };
}
