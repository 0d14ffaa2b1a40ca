import type { Parent } from '../catalog/define.ts';
import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import type { ListenAddress } from '../kernel/listening.ts';
import { yieldToEvents } from '../kernel/run-in-slices.ts';
import { createApp, type ServiceDependencies } from './app.ts';
import { ensureLocalCredentials } from './bootstrap.ts';
import { createServiceClock } from './development/clock.ts';
import type { SnapshotContext } from './development/snapshots/snapshot-routes.ts';
import { createDevelopmentState } from './development/state.ts';
import { RESPONSE_TYPE } from './envelope.ts';
import { createFollowUps } from './follow-ups.ts';
import type { ChunkConsumer, RequestHandler } from './request.ts';
import { openStore } from './store/open.ts';

interface EmbeddedOptions extends Omit<ServiceDependencies, 'store'>, Pick<SnapshotContext, 'compareStates'> {
  /** Cancels the opening of the store. */
  readonly signal?: AbortSignal;
}

/** An embedded service in this process, with the credentials of its first workspace. */
export type EmbeddedInstance = Awaited<ReturnType<typeof openEmbedded>>;

/**
 * Creates the store and a workspace if necessary. Several processes may use a store.
 * @param location path of a SQLite file, or a PostgreSQL URL; see `resolveStoreLocation`
 * @throws SvcError `local` if the store cannot be opened
 */
export async function openEmbedded(location: string, options: EmbeddedOptions) {
  const { signal, compareStates, ...rest } = options;
  const store = await openStore(location, { ...(signal && { signal }) });
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = await ensureLocalCredentials(store);
  const service = createService({ store, ...rest });
  const { clock: realClock, report } = rest;
  const development = {
    location,
    store,
    apiKey,
    development: service.development,
    realClock,
    allowPrivateTargets: true,
    ...(report && { report }),
    ...(compareStates && { compareStates }),
  };
  return {
    /** Handles a request without a network. */
    fetch: async (input: string | URL | Request, init?: RequestInit) => {
      // SQLite calls never yield to the event loop, so signals and timers run between calls.
      await yieldToEvents();
      return service.fetch(input, init);
    },
    /** Returns the parents that do not exist, in order. @throws Refusal if the store rejects the request */
    findMissingParents: async (parents: readonly Parent[]) => {
      const { findMissingParents } = await import('./records/parent-ids.ts');
      return store.read((database) => findMissingParents(database, apiKey, parents));
    },
    handle: service.handle,
    /** Dependencies of the tools for development. */
    development,
    target: {
      baseUrl: 'http://localhost',
      headerPrefix: DEFAULT_HEADER_PREFIX,
      key: { apiKey, authToken },
      workspace: { workspaceId, workspaceAuthToken },
    },
    /** Serves on a port and delivers webhooks. `timeScale` multiplies the delays between delivery attempts. */
    serve: async (address: ListenAddress, { timeScale = 1 }: { readonly timeScale?: number } = {}) => {
      const { startServing } = await import('./serving.ts');
      const { handle, clock: time } = service;
      return startServing({ ...rest, handle, time, development: { ...development, timeScale }, timeScale }, address);
    },
    /** Waits for follow-ups and closes the store. */
    close: async () => {
      await service.whenIdle();
      await store.close();
    },
  };
}

export function createService(dependencies: ServiceDependencies) {
  const { store, report } = dependencies;
  const followUps = createFollowUps(store, report);
  const development = createDevelopmentState(store);
  const clock = createServiceClock(dependencies.clock, development);
  const handle = createApp({ ...dependencies, clock, development }, followUps);
  return {
    development,
    /** Time of the service, as of the last request or read of `development`. */
    clock,
    handle,
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
    const { status, failure, body: content, headers: own } = await handle({ method, target, header, body });
    if (failure) throw failure;
    return new Response(method === 'HEAD' ? null : content, { status, headers: { 'content-type': RESPONSE_TYPE, ...own } });
  };
}

async function readBody(request: Request, consume: ChunkConsumer): Promise<void> {
  // The body is already in memory.
  if (request.headers.has('content-length')) return consume(new Uint8Array(await request.arrayBuffer()));
  for await (const chunk of request.body ?? []) await consume(chunk);
}
