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

export type EmbeddedService = Awaited<ReturnType<typeof openEmbeddedService>>;
export type ServiceClockControl = EmbeddedService['clock'];
export type ServiceSnapshots = EmbeddedService['snapshots'];
export type FaultControl = EmbeddedService['faults'];
export type RequestControl = EmbeddedService['requests'];

const SETTINGS: SettingKinds<ServiceSettings> = {
  store: 'location',
  without: 'list',
  rateLimit: 'object',
  strict: 'switch',
  faults: 'object',
};

/** Implements `createService` in a separate module, which is loaded on demand. */
export async function openEmbeddedService(settings: ServiceSettings) {
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
    /** Handles a request without the network. */
    fetch: embedded.fetch,
    /** Settings for `createClient` to call this service. */
    client: { baseUrl, headerPrefix, ...key, ...workspace, fetch: embedded.fetch },
    /** Time of the service, which the calls that change it return. */
    clock: createClockControl(admin),
    /**
     * Lists records of a kind, such as `users` or `notifications`, with secrets (default: the first
     * 50).
     */
    list: (
      kind: StoredKindName,
      { organization, ...filter }: ListFilter = {},
    ): Promise<StoredRecords> => admin('local.list', { kind, org: organization, ...filter }),
    /**
     * Finds a user, organization, group, folder, or document, with memberships, access, and last
     * activity.
     */
    show: async ({ organization, ...record }: RecordRequest): Promise<readonly StoredRecord[]> =>
      (await admin('local.show', { ...record, org: organization })).records,
    /** Explains whether a user can open a document, and which memberships grant it. */
    explain: ({ organization, ...question }: AccessQuestion): Promise<Explanation> =>
      admin('local.explain', { ...question, org: organization }),
    /** Saved copies of the service's data, beside its store. Not supported for PostgreSQL. */
    snapshots: {
      /** Saves the current data. Replaces a snapshot with the same name. */
      save: (name: string): Promise<Snapshot> => admin('local.snapshot.save', { save: name }),
      /** Replaces the current data, including API keys and tokens. */
      restore: (name: string): Promise<Snapshot> =>
        admin('local.snapshot.restore', { restore: name }),
      /** Returns the snapshots, newest first. */
      list: async (): Promise<readonly Snapshot[]> =>
        (await admin('local.snapshot.list', {})).snapshots,
      remove: async (name: string): Promise<void> =>
        void (await admin('local.snapshot.remove', { remove: name })),
    },
    /** Rules for faults. All calls return the rules, in the order in which they apply. */
    faults: createFaultControl(admin),
    /** The requests to the service, without secrets. */
    requests: createRequestControl(embedded.development),
    /**
     * Starts to listen on a port (default: a free port on 127.0.0.1) and to deliver webhooks.
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

/** Calls an operation of the admin API. @throws SvcError `usage` for an invalid input */
type AdminApi = <Name extends AdminOperationName>(
  name: Name,
  data: AdminData<Name>,
) => Promise<AdminOutput<Name>>;

function createClockControl(admin: AdminApi) {
  return {
    show: (): Promise<ClockState> => admin('local.clock.show', {}),
    /**
     * Moves the time forward by a duration, such as `49h`. Runs the work that becomes due, and
     * reports it.
     */
    advance: (duration: string) =>
      admin('local.clock.advance', { advance: duration }) as Promise<ClockState & AdvanceReport>,
    /** Sets the time, in RFC 3339. */
    set: (time: string): Promise<ClockState> => admin('local.clock.set', { set: time }),
    /** Stops the time. */
    freeze: (): Promise<ClockState> => admin('local.clock.freeze', { freeze: true }),
    /** Lets the time pass again after `freeze`. */
    run: (): Promise<ClockState> => admin('local.clock.run', { run: true }),
    /** Returns to the real time. */
    reset: (): Promise<ClockState> => admin('local.clock.reset', { reset: true }),
  };
}

function createFaultControl(admin: AdminApi) {
  return {
    list: (): Promise<FaultFile> => admin('local.faults.list', {}),
    /** Adds a rule, which applies from the next request. */
    add: (rule: FaultRuleInput): Promise<FaultFile> => admin('local.faults.add', { add: rule }),
    clear: (): Promise<FaultFile> => admin('local.faults.clear', { clear: true }),
  };
}

interface WaitOptions {
  readonly on?: string;
  readonly count?: number;
  readonly timeout?: string | number;
}

function createRequestControl({ requests }: EmbeddedInstance['development']) {
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
  const folder = await createTemporaryFolder();
  return { path: join(folder.path, 'service.sqlite'), remove: folder.close };
}
