import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultFile, FaultFileInput, FaultRuleInput } from '../catalog/fault-rules.ts';
import { systemClock } from '../kernel/clock.ts';
import { parseDurationFlag } from '../kernel/duration.ts';
import type { ClockContext } from '../service/development/clock-control.ts';
import type { AdvanceReport, ClockChange, ClockState } from '../service/development/clock-state.ts';
import type { RequestDetail, RequestRecord } from '../service/development/requests/request-record.ts';
import type { DevelopmentContext } from '../service/development/routes.ts';
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
  /** Rules that make requests and deliveries fail on purpose, until `close`. They replace the rules of the store. */
  readonly faults?: FaultFileInput;
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
  /** Time of the service, which the calls that change it return. */
  readonly clock: ServiceClockControl;
  readonly faults: FaultControl;
  readonly requests: RequestControl;
  /**
   * Also listens on a port (default: a free port on 127.0.0.1), and starts to deliver webhooks. `admin` is the token for
   * `/_svc/`; other machines have no access to it.
   */
  listen(address?: {
    readonly host?: string;
    readonly port?: number;
  }): Promise<{ readonly url: string; readonly admin?: string | undefined }>;
  /** Waits for requests in flight, then releases all resources. */
  close(): Promise<void>;
}

export interface ServiceClockControl {
  show(): Promise<ClockState>;
  /** Moves the time forward by a duration, such as `49h`. Runs the work that becomes due, and reports it. */
  advance(duration: string): Promise<ClockState & AdvanceReport>;
  /** Sets the time, in RFC 3339. */
  set(time: string): Promise<ClockState>;
  /** Stops the time. */
  freeze(): Promise<ClockState>;
  /** Lets the time pass again after `freeze`. */
  run(): Promise<ClockState>;
  /** Returns to the real time. */
  reset(): Promise<ClockState>;
}

/** Rules for faults. All calls return the rules, in the order in which they apply. */
export interface FaultControl {
  list(): Promise<FaultFile>;
  /** Adds a rule, which applies from the next request. */
  add(rule: FaultRuleInput): Promise<FaultFile>;
  clear(): Promise<FaultFile>;
}

/** The requests to the service, without secrets. */
export interface RequestControl {
  /** Returns the latest requests, oldest first. */
  list(filter?: { readonly on?: string; readonly limit?: number }): Promise<readonly RequestDetail[]>;
  /**
   * Waits for requests that end after the call (default: 1 request within 60 s). `on` is the name of an operation;
   * `timeout` is a duration such as `5s`, or a number of milliseconds. Rejects if there are not enough requests in time.
   */
  wait(options?: {
    readonly on?: string;
    readonly count?: number;
    readonly timeout?: string | number;
  }): Promise<readonly RequestRecord[]>;
}

/** Implements `createService` in a separate module, which is loaded on demand. */
export async function openEmbeddedService(settings: ServiceSettings): Promise<EmbeddedService> {
  const { store, ...switches } = settings;
  const location = await resolveStore(store);
  const embedded = await openEmbedded(location.path, { clock: systemClock, logsRequests: true, ...switches });
  const { baseUrl, headerPrefix, key, workspace } = embedded.target;
  const servers: RunningService[] = [];
  return {
    fetch: embedded.fetch,
    client: { baseUrl, headerPrefix, ...key, ...workspace, fetch: embedded.fetch },
    clock: createClockControl(embedded.development),
    faults: createFaultControl(embedded.development),
    requests: createRequestControl(embedded.development),
    listen: async ({ host = '127.0.0.1', port = 0 } = {}) => {
      const server = await embedded.serve({ host, port });
      servers.push(server);
      return { url: server.url, admin: server.admin };
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
      await embedded.close();
      await location.remove();
    },
  };
}

function createClockControl(context: ClockContext): ServiceClockControl {
  const load = () => import('../service/development/clock-control.ts');
  const change = async (to: ClockChange) => (await load()).changeClock(context, to);
  return {
    show: async () => (await load()).readClock(context),
    advance: (duration) => change({ advance: duration }) as Promise<ClockState & AdvanceReport>,
    set: (time) => change({ set: time }),
    freeze: () => change({ freeze: true }),
    run: () => change({ run: true }),
    reset: () => change({ reset: true }),
  };
}

function createFaultControl({ development }: DevelopmentContext): FaultControl {
  const load = () => import('../service/development/faults/fault-control.ts');
  return {
    list: async () => (await load()).listFaults(development),
    add: async (rule) => (await load()).addFault(development, rule),
    clear: async () => (await load()).clearFaults(development),
  };
}

function createRequestControl({ requests }: DevelopmentContext): RequestControl {
  return {
    list: async ({ on, limit = 1_000 } = {}) => requests?.list({ on, limit }) ?? [],
    wait: async ({ timeout, ...options } = {}) => {
      const milliseconds = typeof timeout === 'string' ? parseDurationFlag('timeout', timeout) : timeout;
      return requests?.wait({ ...options, timeout: milliseconds }) ?? [];
    },
  };
}

async function resolveStore(store: string | undefined): Promise<{ path: string; remove(): Promise<void> }> {
  if (store !== undefined) return { path: store, remove: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'svc-'));
  return { path: join(folder, 'service.sqlite'), remove: () => rm(folder, { recursive: true, force: true }) };
}
