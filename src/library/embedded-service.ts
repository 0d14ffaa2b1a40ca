import { join } from 'node:path';
import type { FaultFile, FaultFileInput, FaultRuleInput } from '../catalog/fault-rules.ts';
import type {
  AccessQuestion,
  Explanation,
  ListFilter,
  RecordRequest,
  RequestDetail,
  RequestRecord,
  Snapshot,
  StoredRecord,
  StoredRecords,
} from '../catalog/local/answers.ts';
import type { AdvanceReport, ClockState } from '../catalog/local/clock-state.ts';
import type { AdminData, AdminOperationName, AdminOutput } from '../catalog/local/index.ts';
import type { StoredKindName } from '../catalog/local/stored-kinds.ts';
import { systemClock } from '../kernel/clock.ts';
import { parseDurationFlag } from '../kernel/duration.ts';
import { createTemporaryFolder } from '../kernel/temporary.ts';
import { type EmbeddedInstance, openEmbedded } from '../service/embedded.ts';
import { callAdminOperation } from '../service/local/operations.ts';
import type { RunningService } from '../service/serving.ts';
import { checkSettings, type SettingKinds } from './check-settings.ts';

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

/** An embedded service in this process. */
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
  /**
   * Lists records of a kind, such as `users` or `notifications`, with secrets (default: the first
   * 50).
   */
  list(kind: StoredKindName, filter?: ListFilter): Promise<StoredRecords>;
  /**
   * Finds a user, organization, group, folder, or document, with memberships, access, and last
   * activity.
   */
  show(record: RecordRequest): Promise<readonly StoredRecord[]>;
  /** Explains whether a user can open a document, and which memberships grant it. */
  explain(question: AccessQuestion): Promise<Explanation>;
  /** Saved copies of the service's data, beside its store. Not supported for PostgreSQL. */
  readonly snapshots: ServiceSnapshots;
  /** Rules for faults. All calls return the rules, in the order in which they apply. */
  readonly faults: FaultControl;
  /** The requests to the service, without secrets. */
  readonly requests: RequestControl;
  /**
   * Starts to listen on a port (default: a free port on 127.0.0.1) and to deliver webhooks. `admin`
   * is the token for `/_svc/`; other machines have no access to it.
   */
  listen(address?: {
    readonly host?: string;
    readonly port?: number;
  }): Promise<{ readonly url: string; readonly admin: string | undefined }>;
  /** Waits for requests in flight, then releases all resources. */
  close(): Promise<void>;
}

export interface ServiceSnapshots {
  /** Saves the current data. Replaces a snapshot with the same name. */
  save(name: string): Promise<Snapshot>;
  /** Replaces the current data, including API keys and tokens. */
  restore(name: string): Promise<Snapshot>;
  /** Returns the snapshots, newest first. */
  list(): Promise<readonly Snapshot[]>;
  remove(name: string): Promise<void>;
}

export interface ServiceClockControl {
  show(): Promise<ClockState>;
  /**
   * Moves the time forward by a duration, such as `49h`. Runs the work that becomes due, and reports
   * it.
   */
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

export interface FaultControl {
  list(): Promise<FaultFile>;
  /** Adds a rule, which applies from the next request. */
  add(rule: FaultRuleInput): Promise<FaultFile>;
  clear(): Promise<FaultFile>;
}

export interface RequestControl {
  /** Returns the latest requests, oldest first (default: 1,000). */
  list(filter?: {
    readonly on?: string;
    readonly limit?: number;
  }): Promise<readonly RequestDetail[]>;
  /**
   * Waits for requests that end after the call (default: 1 request within 60 s). `on` is the name of
   * an operation; `timeout` is a duration such as `5s`, or a number of milliseconds. Rejects if there
   * are not enough requests in time.
   */
  wait(options?: WaitOptions): Promise<readonly RequestRecord[]>;
}

const SETTINGS: SettingKinds<ServiceSettings> = {
  store: 'location',
  without: 'list',
  rateLimit: 'object',
  strict: 'switch',
  faults: 'object',
};

/** Implements `createService` in a separate module, which is loaded on demand. */
export async function openEmbeddedService(settings: ServiceSettings): Promise<EmbeddedService> {
  checkSettings(settings, SETTINGS);
  const { store, ...switches } = settings;
  const location = await resolveStore(store);
  const embedded = await openEmbedded(location.path, {
    clock: systemClock,
    logsRequests: true,
    ...switches,
  });
  const { baseUrl, headerPrefix, key, workspace } = embedded.target;
  const servers: RunningService[] = [];
  const admin: AdminApi = async (name, data) =>
    callAdminOperation(name, embedded.development, data);
  return {
    fetch: embedded.fetch,
    client: { baseUrl, headerPrefix, ...key, ...workspace, fetch: embedded.fetch },
    clock: createClockControl(admin),
    list: (kind, { organization, ...filter } = {}) =>
      admin('local.list', { kind, org: organization, ...filter }),
    show: async ({ organization, ...record }) =>
      (await admin('local.show', { ...record, org: organization })).records,
    explain: ({ organization, ...question }) =>
      admin('local.explain', { ...question, org: organization }),
    snapshots: {
      save: (name) => admin('local.snapshot.save', { save: name }),
      restore: (name) => admin('local.snapshot.restore', { restore: name }),
      list: async () => (await admin('local.snapshot.list', {})).snapshots,
      remove: async (name) => void (await admin('local.snapshot.remove', { remove: name })),
    },
    faults: {
      list: () => admin('local.faults.list', {}),
      add: (rule) => admin('local.faults.add', { add: rule }),
      clear: () => admin('local.faults.clear', { clear: true }),
    },
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

/** Calls an operation of the admin API. @throws SvcError `usage` for an invalid input */
type AdminApi = <Name extends AdminOperationName>(
  name: Name,
  data: AdminData<Name>,
) => Promise<AdminOutput<Name>>;

function createClockControl(admin: AdminApi): ServiceClockControl {
  return {
    show: () => admin('local.clock.show', {}),
    advance: (duration) =>
      admin('local.clock.advance', { advance: duration }) as Promise<ClockState & AdvanceReport>,
    set: (time) => admin('local.clock.set', { set: time }),
    freeze: () => admin('local.clock.freeze', { freeze: true }),
    run: () => admin('local.clock.run', { run: true }),
    reset: () => admin('local.clock.reset', { reset: true }),
  };
}

interface WaitOptions {
  readonly on?: string;
  readonly count?: number;
  readonly timeout?: string | number;
}

function createRequestControl({ requests }: EmbeddedInstance['development']): RequestControl {
  return {
    list: async ({ on, limit = 1_000 } = {}) => requests?.list({ on, limit }) ?? [],
    wait: async ({ timeout, ...options } = {}) => {
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
  const folder = await createTemporaryFolder();
  return { path: join(folder.path, 'service.sqlite'), remove: folder.close };
}
