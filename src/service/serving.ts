import type { LoggedAttempt } from '../catalog/local/delivery.ts';
import { SvcError } from '../kernel/errors.ts';
import type { ListenAddress } from '../kernel/listening.ts';
import type { ServiceDependencies } from './app.ts';
import type { RequestHandler } from './calls/request.ts';
import { type ServiceTime, startDeliveries } from './deliveries/engine.ts';
import { loadOperations } from './handlers/index.ts';
import { createAdmin, isAdminTarget } from './local/admin.ts';
import { type DevelopmentContext, loadAdminApi } from './local/operations.ts';
import { createRoutes, loadInspector } from './local/routes.ts';
import { finishMigrations } from './records/migrations.ts';
import { generateToken } from './records/secrets.ts';
import { type RunningServer, startServer } from './server.ts';

interface ServingOptions extends Pick<ServiceDependencies, 'report' | 'readOnly'> {
  readonly time: ServiceTime;
  readonly development: DevelopmentContext;
  readonly handle: RequestHandler;
  readonly timeScale: number;
  readonly ui?: boolean | undefined;
  readonly onAttempt?: ((attempt: LoggedAttempt) => void) | undefined;
}

export interface RunningService {
  readonly url: string;
  /** The token of the admin API; `undefined` unless the address is a loopback address. */
  readonly admin: string | undefined;
  /** The address of the inspector page. */
  readonly ui: string | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Serves the embedded service on a port and delivers its webhooks, unless it is read-only. First
 * finishes interrupted document migrations.
 * @throws SvcError `usage` for an inspector page on an address that other machines can reach
 */
export async function startServing(
  options: ServingOptions,
  address: ListenAddress,
): Promise<RunningService> {
  const {
    development,
    handle,
    time,
    timeScale,
    ui,
    readOnly,
    report = () => undefined,
    onAttempt,
  } = options;
  const { store, realClock: clock, intercept } = development;
  const token = generateToken();
  const publicRoutes = ui ? await loadInspector() : {};
  const admin = createAdmin({
    token,
    routes: createRoutes(development, { readOnly }),
    publicRoutes,
    report,
  });
  await Promise.all([
    readOnly ? undefined : finishMigrations(store),
    loadOperations(),
    loadAdminApi(),
  ]);
  const server: RunningServer = await startServer(
    (request) => (isAdminTarget(request.target) && server.isLoopback ? admin : handle)(request),
    address,
  );
  if (ui && !server.isLoopback) {
    await server.close();
    throw new SvcError(
      'usage',
      `--ui needs a loopback address such as 127.0.0.1, got ${address.host}`,
    );
  }
  const deliveries = readOnly
    ? undefined
    : startDeliveries(store, {
        clock,
        time,
        timeScale,
        allowPrivateTargets: server.isLoopback,
        report,
        intercept,
        onAttempt,
      });
  return {
    url: server.url,
    /** Token for `/_svc/`. Undefined if other machines can reach the server. */
    admin: server.isLoopback ? token : undefined,
    /**
     * Address of the inspector page with the token, which the browser does not send to the server.
     */
    ui: ui ? `${server.url}/_svc/ui#token=${token}` : undefined,
    close: async () => void (await Promise.all([server.close(), deliveries?.stop()])),
  };
}
