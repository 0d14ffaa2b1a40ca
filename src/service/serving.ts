import type { Clock } from '../kernel/clock.ts';
import type { ListenAddress } from '../kernel/listening.ts';
import { startDeliveries } from './deliveries/engine.ts';
import { finishMigrations } from './records/migrations.ts';
import type { RequestHandler } from './request.ts';
import { loadOperations } from './routes.ts';
import { startServer } from './server.ts';
import type { Store } from './store/store.ts';

export interface ServingOptions {
  readonly store: Store;
  readonly handle: RequestHandler;
  readonly clock: Clock;
  /** Multiplier for the delays between delivery attempts. */
  readonly timeScale: number;
  readonly report?: (error: unknown) => void;
}

export type RunningService = Awaited<ReturnType<typeof startServing>>;

/** Serves the embedded service on a port and delivers its webhooks. First finishes interrupted document migrations. */
export async function startServing(options: ServingOptions, address: ListenAddress) {
  const { store, handle, clock, timeScale, report = () => undefined } = options;
  await Promise.all([finishMigrations(store), loadOperations()]);
  const server = await startServer(handle, address);
  const deliveries = startDeliveries(store, { clock, timeScale, allowPrivateTargets: server.isLoopback, report });
  return {
    url: server.url,
    close: async () => void (await Promise.all([server.close(), deliveries.stop()])),
  };
}
