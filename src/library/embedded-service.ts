import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../kernel/clock.ts';
import type { ClockChange, ClockContext, ClockState } from '../service/development/clock-control.ts';
import { openSnapshots } from '../service/development/snapshots/snapshot-routes.ts';
import type { Snapshot } from '../service/development/snapshots/snapshots.ts';
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
  /** Saved copies of the service's data, beside its store. Not supported for PostgreSQL. */
  readonly snapshots: ServiceSnapshots;
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
  /** Moves the time forward by a duration, such as `49h`. */
  advance(duration: string): Promise<ClockState>;
  /** Sets the time, in RFC 3339. */
  set(time: string): Promise<ClockState>;
  /** Stops the time. */
  freeze(): Promise<ClockState>;
  /** Lets the time pass again after `freeze`. */
  run(): Promise<ClockState>;
  /** Returns to the real time. */
  reset(): Promise<ClockState>;
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

/** Implements `createService` in a separate module, which is loaded on demand. */
export async function openEmbeddedService(settings: ServiceSettings): Promise<EmbeddedService> {
  const { store, ...switches } = settings;
  const location = await resolveStore(store);
  const embedded = await openEmbedded(location.path, { clock: systemClock, ...switches });
  const { baseUrl, headerPrefix, key, workspace } = embedded.target;
  const servers: RunningService[] = [];
  return {
    fetch: embedded.fetch,
    client: { baseUrl, headerPrefix, ...key, ...workspace, fetch: embedded.fetch },
    clock: createClockControl(embedded.development),
    snapshots: {
      save: async (name) => (await openSnapshots(embedded.development)).save(name),
      restore: async (name) => (await openSnapshots(embedded.development)).restore(name),
      list: async () => (await openSnapshots(embedded.development)).list(),
      remove: async (name) => (await openSnapshots(embedded.development)).remove(name),
    },
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
    advance: (duration) => change({ advance: duration }),
    set: (time) => change({ set: time }),
    freeze: () => change({ freeze: true }),
    run: () => change({ run: true }),
    reset: () => change({ reset: true }),
  };
}

async function resolveStore(store: string | undefined): Promise<{ path: string; remove(): Promise<void> }> {
  if (store !== undefined) return { path: store, remove: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'svc-'));
  return { path: join(folder, 'service.sqlite'), remove: () => rm(folder, { recursive: true, force: true }) };
}
