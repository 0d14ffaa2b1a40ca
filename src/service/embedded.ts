import type { Parent } from '../catalog/define.ts';
import type { FaultFileInput } from '../catalog/fault-rules.ts';
import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import type { RequestRecord } from '../catalog/local/answers.ts';
import type { LoggedAttempt } from '../catalog/local/delivery.ts';
import type { StoredKindName } from '../catalog/local/stored-kinds.ts';
import type { Clock } from '../kernel/clock.ts';
import { commandLineOf } from '../kernel/errors.ts';
import type { ListenAddress } from '../kernel/listening.ts';
import { once } from '../kernel/once.ts';
import { yieldToEvents } from '../kernel/run-in-slices.ts';
import { createApp, type ServiceDependencies } from './app.ts';
import { createFollowUps } from './calls/call.ts';
import { HEALTHY, RESPONSE_TYPE, type ServiceResponse } from './calls/envelope.ts';
import type { ChunkConsumer, RequestHandler } from './calls/request.ts';
import { createServiceClock } from './local/clock.ts';
import { createFaultInjector } from './local/faults/fault-injector.ts';
import type { DevelopmentContext } from './local/operations.ts';
import { createLazyFile, type LazyRequestFile } from './local/requests/lazy-file.ts';
import type { RequestLog, RequestLogOptions } from './local/requests/request-log.ts';
import type { SnapshotContext } from './local/snapshots/snapshot-control.ts';
import { createDevelopmentState, type DevelopmentState } from './local/state.ts';
import { ensureLocalCredentials } from './records/bootstrap.ts';
import { findMissingParents, type MissingParent } from './records/parent-ids.ts';
import type { WorkspaceCredentials } from './records/workspaces.ts';
import type { RunningService } from './serving.ts';
import { displayStoreLocation } from './store/location.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';

interface EmbeddedOptions
  extends Omit<ServiceDependencies, 'store' | 'callLog'>,
    Pick<SnapshotContext, 'compareStates'> {
  readonly signal?: AbortSignal;
  readonly logsRequests?: boolean;
  readonly onRequest?: ((record: RequestRecord) => void) | undefined;
  /** Receives each attempt of a delivery that `serve` makes. */
  readonly onAttempt?: ((attempt: LoggedAttempt) => void) | undefined;
  /** Folder for the request log of a PostgreSQL store (default: the log is kept in memory). */
  readonly logFolder?: string;
  /** Rules for faults, which replace those of the store until `close`. */
  readonly faults?: FaultFileInput;
}

/** An embedded service in this process, with the credentials of its first workspace. */
export interface EmbeddedInstance {
  /** Handles a request without a network. */
  readonly fetch: typeof globalThis.fetch;
  readonly post: PostRequest;
  /**
   * Returns the parents that do not exist, in order.
   * @throws Refusal if the store rejects the request
   */
  findMissingParents(parents: readonly Parent[]): Promise<readonly MissingParent[]>;
  /** Lists the first IDs of a kind in the store, of one organization if it is given. */
  listIds(kind: StoredKindName, organizationId?: string): Promise<readonly string[]>;
  readonly handle: RequestHandler;
  now(): Promise<number>;
  readonly development: DevelopmentContext;
  readonly target: {
    readonly baseUrl: string;
    readonly headerPrefix: string;
    readonly key: Pick<WorkspaceCredentials, 'apiKey' | 'authToken'>;
    readonly workspace: Pick<WorkspaceCredentials, 'workspaceId' | 'workspaceAuthToken'>;
  };
  /** Serves on a port and delivers webhooks. */
  serve(address: ListenAddress, options?: ServeOptions): Promise<RunningService>;
  close(): Promise<void>;
}

interface ServeOptions {
  /** Multiplies the delays between attempts. */
  readonly timeScale?: number;
  /** Whether to serve the inspector page. */
  readonly ui?: boolean | undefined;
}

/**
 * Creates the store and a workspace if necessary. Several processes may use a store.
 * @param location path of a SQLite file, or a PostgreSQL URL; see `resolveStoreLocation`
 * @throws SvcError `local` if the store cannot be opened, `invalid_input` for invalid rules of faults
 */
export async function openEmbedded(
  location: string,
  options: EmbeddedOptions,
): Promise<EmbeddedInstance> {
  const {
    signal,
    logsRequests = false,
    onRequest,
    onAttempt,
    logFolder,
    faults,
    compareStates,
    ...rest
  } = options;
  const control = faults && (await import('./local/faults/fault-control.ts'));
  control?.checkFaultFile(faults);
  const store = await openStore(location, { ...(signal && { signal }) });
  const { apiKey, authToken, workspaceId, workspaceAuthToken } =
    await ensureLocalCredentials(store);
  const { clock: realClock, report } = rest;
  const file = createLazyFile(location, logFolder, report);
  const requests = logsRequests ? await openLog(file, { report, onRequest }) : undefined;
  const service = createService({ store, ...rest, callLog: requests }, file);
  const development = {
    location,
    store,
    apiKey,
    development: service.development,
    realClock,
    requests,
    allowPrivateTargets: true,
    commandOf: (command: readonly string[]) => commandForStore(location, command),
    intercept: service.faults.attempt,
    ...(report && { report }),
    ...(compareStates && { compareStates }),
  };
  await control?.setFaults(service.development, faults);
  const clearFaults = once(async () => control?.clearFaults(service.development));
  return {
    fetch: async (input, init) => {
      // SQLite calls never yield to the event loop, so signals and timers run between calls.
      await yieldToEvents();
      return service.fetch(input, init);
    },
    post: service.post,
    findMissingParents: (parents) =>
      store.read((database) => findMissingParents(database, apiKey, parents)),
    listIds: async (kind, organizationId) => {
      const { readIds } = await import('./local/reading/list.ts');
      return store.read((database) => readIds({ database, apiKey }, kind, organizationId));
    },
    handle: service.handle,
    now: async () => {
      await service.development.current();
      return service.clock.now();
    },
    development,
    target: {
      baseUrl: 'http://localhost',
      headerPrefix: DEFAULT_HEADER_PREFIX,
      key: { apiKey, authToken },
      workspace: { workspaceId, workspaceAuthToken },
    },
    serve: async (address, { timeScale = 1, ui } = {}) => {
      const { startServing } = await import('./serving.ts');
      const { handle, clock: time } = service;
      const server = await startServing(
        {
          ...rest,
          handle,
          time,
          development: { ...development, timeScale },
          timeScale,
          ui,
          onAttempt,
        },
        address,
      );
      const close = () => {
        service.faults.close();
        requests?.endWaits();
        return server.close();
      };
      return { ...server, close };
    },
    close: async () => {
      service.faults.close();
      await service.whenIdle();
      await clearFaults();
      requests?.flush();
      await file.close();
      await store.close();
    },
  };
}

async function openLog(file: LazyRequestFile, options: RequestLogOptions): Promise<RequestLog> {
  return (await import('./local/requests/request-log.ts')).createRequestLog(
    await file.open(),
    options,
  );
}

/** @param file counts the requests that rules of faults apply to */
export function createService(
  dependencies: ServiceDependencies,
  file = createLazyFile(':memory:', undefined),
) {
  const { store, report } = dependencies;
  const followUps = createFollowUps(store, report);
  const development = createDevelopmentState(store);
  const clock = createServiceClock(dependencies.clock, development);
  const faults = createFaultInjector({
    development,
    openFile: file.open,
    clock: dependencies.clock,
    report,
  });
  const app = createApp({ ...dependencies, clock, development, faults }, followUps);
  const handle = withServiceDate(app, { clock, development, store });
  return {
    development,
    faults,
    /** Time of the service, as of the last request or read of `development`. */
    clock,
    handle,
    fetch: createFetch(handle),
    post: createPost(handle),
    /** Resolves when all follow-ups have finished. The store must stay open until then. */
    whenIdle: followUps.whenIdle,
  };
}

/**
 * Adds the time of the service to responses, if it was changed, so that clients on this machine
 * know it.
 */
function withServiceDate(
  handle: RequestHandler,
  {
    clock,
    development,
    store,
  }: { readonly clock: Clock; readonly development: DevelopmentState; readonly store: Store },
): RequestHandler {
  return async (request) => {
    const response = await handle(request);
    // A health check does not wait for a database.
    const reading =
      response === HEALTHY && Promise.resolve(development.current()).catch(() => undefined);
    if (store.version) await reading;
    if (development.known.clock === undefined) return response;
    return {
      ...response,
      headers: { date: new Date(clock.now()).toUTCString(), ...response.headers },
    };
  };
}

function createFetch(handle: RequestHandler): typeof globalThis.fetch {
  return async (input, init) => {
    const request = input instanceof Request && !init ? input : new Request(input, init);
    const { method, url: target, headers } = request;
    const header = (name: string) => headers.get(name) ?? undefined;
    const body = (consume: ChunkConsumer) => readBody(request, consume);
    const {
      status,
      body: content,
      headers: own,
      sentShare,
    } = acceptResponse(await handle({ method, target, header, body }));
    const sent = sentShare === undefined ? content : interruptBody(content, sentShare);
    return new Response(method === 'HEAD' ? null : sent, {
      status,
      headers: { 'content-type': RESPONSE_TYPE, ...own },
    });
  };
}

type PostRequest = (
  target: string,
  headers: ReadonlyMap<string, string>,
  content: string,
) => Promise<Omit<ServiceResponse, 'failure' | 'sentShare'>>;

/**
 * Creates a function that calls the service like `fetch`, without its types, which take long to
 * load.
 */
function createPost(handle: RequestHandler): PostRequest {
  return async (target, headers, content) => {
    const body = async (consume: ChunkConsumer) => consume(Buffer.from(content));
    const header = (name: string) => headers.get(name);
    const response = acceptResponse(
      await handle({ method: 'POST', target, isInProcess: true, header, body }),
    );
    if ((response.sentShare ?? 1) < 1) throw createConnectionError('terminated');
    return response;
  };
}

/** Throws what the caller gets instead of a response. */
function acceptResponse({ failure, sentShare, ...response }: ServiceResponse) {
  if (failure) throw failure;
  if (sentShare === 'none') throw createConnectionError('fetch failed');
  return { ...response, sentShare };
}

function createConnectionError(message: string): TypeError {
  return new TypeError(message, {
    cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
  });
}

/** Creates a body that fails after a share of its bytes, or ends if that is all of them. */
function interruptBody(content: string, share: number): ReadableStream<Uint8Array> {
  const bytes = Buffer.from(content);
  const chunks = [bytes.subarray(0, Math.floor(bytes.length * share))].filter(
    ({ length }) => length > 0,
  );
  return new ReadableStream({
    pull: (controller) => {
      const chunk = chunks.pop();
      if (chunk) controller.enqueue(chunk);
      else if (share === 1) controller.close();
      else controller.error(createConnectionError('terminated'));
    },
  });
}

async function readBody(request: Request, consume: ChunkConsumer): Promise<void> {
  // The body is already in memory.
  if (request.headers.has('content-length'))
    return consume(new Uint8Array(await request.arrayBuffer()));
  for await (const chunk of request.body ?? []) await consume(chunk);
}

function commandForStore(location: string, command: readonly string[]): string {
  return commandLineOf({
    kind: 'change',
    flags: ['--local', '--store', displayStoreLocation(location)],
    command,
  });
}
