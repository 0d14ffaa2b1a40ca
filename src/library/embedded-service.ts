import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultFile, FaultFileInput, FaultRuleInput } from '../catalog/fault-rules.ts';
import { systemClock } from '../kernel/clock.ts';
import { parseDurationFlag } from '../kernel/duration.ts';
import { throwFileError } from '../kernel/files.ts';
import type { ClockContext } from '../service/development/clock-control.ts';
import type { AdvanceReport, ClockChange, ClockState } from '../service/development/clock-state.ts';
import type {
  AccessQuestion,
  Explanation,
  ListFilter,
  RecordRequest,
  StoredRecord,
  StoredRecords,
} from '../service/development/reading/answers.ts';
import type { StoredKindName } from '../service/development/reading/kinds.ts';
import type {
  RequestDetail,
  RequestRecord,
} from '../service/development/requests/request-record.ts';
import type { DevelopmentContext } from '../service/development/routes.ts';
import { openSnapshots } from '../service/development/snapshots/snapshot-routes.ts';
import { openEmbedded } from '../service/embedded.ts';
import type { RunningService } from '../service/serving.ts';

export interface ServiceSettings {
  /**
   * SQLite file or PostgreSQL URL of the store (default: a temporary file that `close` deletes).
   */
  readonly store?: string;
  /** Features to disable; calls to them fail. */
  readonly without?: readonly ('advanced-queries' | 'advanced-webhooks')[];
  /**
   * Maximum number of calls per window, in milliseconds; further calls fail with
   * RESOURCE_EXHAUSTED.
   */
  readonly rateLimit?: { readonly calls: number; readonly window: number };
  /** Makes bulk calls fail with INTERNAL and `details` if some of their documents fail. */
  readonly strict?: boolean;
  /**
   * Rules that make requests and deliveries fail on purpose, until `close`. They replace the rules
   * of the store.
   */
  readonly faults?: FaultFileInput;
}

export type EmbeddedService = Awaited<ReturnType<typeof openEmbeddedService>>;
export type ServiceClockControl = EmbeddedService['clock'];
export type ServiceSnapshots = EmbeddedService['snapshots'];
export type FaultControl = EmbeddedService['faults'];
export type RequestControl = EmbeddedService['requests'];

/** Implements `createService` in a separate module, which is loaded on demand. */
export async function openEmbeddedService({ store, ...switches }: ServiceSettings) {
  const location = await resolveStore(store);
  const embedded = await openEmbedded(location.path, {
    clock: systemClock,
    logsRequests: true,
    ...switches,
  });
  const { baseUrl, headerPrefix, key, workspace } = embedded.target;
  const servers: RunningService[] = [];
  const reader = async () =>
    (await import('../service/development/reading/reader.ts')).createReader(embedded.development);
  return {
    /** Handles a request without the network. */
    fetch: embedded.fetch,
    /** Settings for `createClient` to call this service. */
    client: { baseUrl, headerPrefix, ...key, ...workspace, fetch: embedded.fetch },
    /** Time of the service, which the calls that change it return. */
    clock: createClockControl(embedded.development),
    /**
     * Lists records of a kind, such as `users` or `notifications`, with secrets (default: the first
     * 50).
     */
    list: async (kind: StoredKindName, filter?: ListFilter): Promise<StoredRecords> =>
      (await reader()).list(kind, filter),
    /**
     * Finds a user, organization, group, folder, or document, with memberships, access, and last
     * activity.
     */
    show: async (request: RecordRequest): Promise<readonly StoredRecord[]> =>
      (await reader()).show(request),
    /** Explains whether a user can open a document, and which memberships grant it. */
    explain: async (question: AccessQuestion): Promise<Explanation> =>
      (await reader()).explain(question),
    /** Saved copies of the service's data, beside its store. Not supported for PostgreSQL. */
    snapshots: {
      /** Saves the current data. Replaces a snapshot with the same name. */
      save: async (name: string) => (await openSnapshots(embedded.development)).save(name),
      /** Replaces the current data, including API keys and tokens. */
      restore: async (name: string) => (await openSnapshots(embedded.development)).restore(name),
      /** Returns the snapshots, newest first. */
      list: async () => (await openSnapshots(embedded.development)).list(),
      remove: async (name: string) => (await openSnapshots(embedded.development)).remove(name),
    },
    /** Rules for faults. All calls return the rules, in the order in which they apply. */
    faults: createFaultControl(embedded.development),
    /** The requests to the service, without secrets. */
    requests: createRequestControl(embedded.development),
    /**
     * Also listens on a port (default: a free port on 127.0.0.1), and starts to deliver webhooks.
     * `admin` is the token for `/_svc/`; other machines have no access to it.
     */
    listen: async ({
      host = '127.0.0.1',
      port = 0,
    }: {
      readonly host?: string;
      readonly port?: number;
    } = {}) => {
      const server = await embedded.serve({ host, port });
      servers.push(server);
      return { url: server.url, admin: server.admin };
    },
    /** Waits for requests in flight, then releases all resources. */
    close: async (): Promise<void> => {
      await Promise.all(servers.map((server) => server.close()));
      await embedded.close();
      await location.remove();
    },
  };
}

function createClockControl(context: ClockContext) {
  const load = () => import('../service/development/clock-control.ts');
  const change = async (to: ClockChange): Promise<ClockState> =>
    (await load()).changeClock(context, to);
  return {
    show: async (): Promise<ClockState> => (await load()).readClock(context),
    /**
     * Moves the time forward by a duration, such as `49h`. Runs the work that becomes due, and
     * reports it.
     */
    advance: (duration: string) =>
      change({ advance: duration }) as Promise<ClockState & AdvanceReport>,
    /** Sets the time, in RFC 3339. */
    set: (time: string) => change({ set: time }),
    /** Stops the time. */
    freeze: () => change({ freeze: true }),
    /** Lets the time pass again after `freeze`. */
    run: () => change({ run: true }),
    /** Returns to the real time. */
    reset: () => change({ reset: true }),
  };
}

function createFaultControl({ development }: DevelopmentContext) {
  const load = () => import('../service/development/faults/fault-control.ts');
  return {
    list: async (): Promise<FaultFile> => (await load()).listFaults(development),
    /** Adds a rule, which applies from the next request. */
    add: async (rule: FaultRuleInput): Promise<FaultFile> =>
      (await load()).addFault(development, rule),
    clear: async (): Promise<FaultFile> => (await load()).clearFaults(development),
  };
}

interface WaitOptions {
  readonly on?: string;
  readonly count?: number;
  readonly timeout?: string | number;
}

function createRequestControl({ requests }: DevelopmentContext) {
  return {
    /** Returns the latest requests, oldest first. */
    list: async ({
      on,
      limit = 1_000,
    }: {
      readonly on?: string;
      readonly limit?: number;
    } = {}): Promise<readonly RequestDetail[]> => requests?.list({ on, limit }) ?? [],
    /**
     * Waits for requests that end after the call (default: 1 request within 60 s). `on` is the name
     * of an operation; `timeout` is a duration such as `5s`, or a number of milliseconds. Rejects
     * if there are not enough requests in time.
     */
    wait: async ({ timeout, ...options }: WaitOptions = {}): Promise<readonly RequestRecord[]> => {
      const milliseconds =
        typeof timeout === 'string' ? parseDurationFlag('timeout', timeout) : timeout;
      return requests?.wait({ ...options, timeout: milliseconds }) ?? [];
    },
  };
}

async function resolveStore(
  store: string | undefined,
): Promise<{ path: string; remove(): Promise<void> }> {
  if (store !== undefined) return { path: store, remove: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'svc-')).catch(
    throwFileError('create a folder in', tmpdir()),
  );
  return {
    path: join(folder, 'service.sqlite'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
