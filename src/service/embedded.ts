import type { Parent } from '../catalog/define.ts';
import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ListenAddress } from '../kernel/listening.ts';
import { yieldToEvents } from '../kernel/run-in-slices.ts';
import { createApp, type ServiceDependencies, type ServiceOptions } from './app.ts';
import { ensureLocalCredentials, type LocalCredentials } from './bootstrap.ts';
import { RESPONSE_TYPE } from './envelope.ts';
import { createFollowUps } from './follow-ups.ts';
import type { MissingParent } from './records/parent-ids.ts';
import type { ChunkConsumer, RequestHandler } from './request.ts';
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

/** Creates the service on a store, without a network port. */
export function createService(dependencies: ServiceDependencies) {
  const followUps = createFollowUps(dependencies.store, dependencies.report);
  const handle = createApp(dependencies, followUps);
  return {
    handle,
    /** Handles a request without a network. */
    fetch: createFetch(handle),
    /** Resolves when all follow-ups have finished. The store must stay open until then. */
    whenIdle: followUps.whenIdle,
  };
}

/** Creates a `fetch` that calls the service. Throws a `StoreFailure` if the store is not usable. */
function createFetch(handle: RequestHandler): typeof globalThis.fetch {
  return async (input, init) => {
    const request = input instanceof Request && !init ? input : new Request(input, init);
    const { method, url: target, headers } = request;
    const header = (name: string) => headers.get(name) ?? undefined;
    const body = (consume: ChunkConsumer) => readBody(request, consume);
    const { status, failure, body: content } = await handle({ method, target, header, body });
    if (failure) throw failure;
    return new Response(method === 'HEAD' ? null : content, { status, headers: { 'content-type': RESPONSE_TYPE } });
  };
}

async function readBody(request: Request, consume: ChunkConsumer): Promise<void> {
  // The body is already in memory.
  if (request.headers.has('content-length')) return consume(new Uint8Array(await request.arrayBuffer()));
  for await (const chunk of request.body ?? []) await consume(chunk);
}
