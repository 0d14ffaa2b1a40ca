import type { ListenAddress } from '../kernel/listening.ts';
import type { ServiceDependencies } from './app.ts';
import { startDeliveries } from './deliveries/engine.ts';
import { finishMigrations } from './records/migrations.ts';
import type { RequestHandler } from './request.ts';
import { loadOperations } from './routes.ts';
import { startServer } from './server.ts';

interface ServingOptions extends Pick<ServiceDependencies, 'store' | 'clock' | 'report'> {
  readonly handle: RequestHandler;
  /** Multiplier for the delays between delivery attempts. */
  readonly timeScale: number;
}

export type RunningService = Awaited<ReturnType<typeof startServing>>;

/** Serves the embedded service on a port and delivers its webhooks. First finishes interrupted document migrations. */
export async function startServing(options: ServingOptions, address: ListenAddress) {
  const { store, handle, clock, timeScale, report = () => undefined } = options;
  await Promise.all([finishMigrations(store), loadOperations()]);
  const server = await startServer(handle, address);
  const deliveries = startDeliveries(store, { clock, timeScale, allowPrivateTargets: server.isLoopback, report });
  return { url: server.url, close: async () => void (await Promise.all([server.close(), deliveries.stop()])) };
}
