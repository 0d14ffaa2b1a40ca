import { type Client, type ClientOptions, createClient, type Target } from '../client/client.ts';
import type { PooledTransport, PoolOptions } from '../client/pool-transport.ts';
import { noCredential } from '../profiles/credentials.ts';
import type { Settings } from '../profiles/resolve.ts';
import { observer } from './call-log.ts';
import type { Context } from './context.ts';
import { given } from './option-values.ts';
import { permitWrite } from './protection.ts';

export interface Connection {
  readonly client: Client;
  close(): Promise<void>;
}

/** The client of this run: over the network as the settings say, or to the embedded service in this process. */
export async function connect(context: Context): Promise<Connection> {
  if (!context.options.local) {
    const target = targetOf(await context.settings());
    const pool = lazyPool({ baseUrl: target.baseUrl, attemptTimeout: context.options.timeout });
    return { client: clientTo(context, target, { fetch: globalThis.fetch, pool: pool.open }), close: pool.close };
  }
  const { openLocalService } = await import('../service/local.ts');
  const { folders, clock, options } = context;
  const service = await openLocalService({ folders, clock, ...given('store', options.store) });
  return { client: clientTo(context, service.target, { fetch: service.fetch }), close: () => service.close() };
}

/** Connections for many calls, opened for the first of them. */
function lazyPool(options: PoolOptions) {
  let opened: Promise<PooledTransport> | undefined;
  return {
    open: async () => {
      opened ??= import('../client/pool-transport.ts').then(({ poolTransport }) => poolTransport(options));
      return (await opened).transport;
    },
    close: async () => (await opened)?.close(),
  };
}

function clientTo(context: Context, target: Target, wire: Pick<ClientOptions, 'fetch' | 'pool'>): Client {
  const { clock, signal, options, io } = context;
  const printPlan: ClientOptions['dryRun'] = (request) => io.stdout.write(`${JSON.stringify(request, null, 2)}\n`);
  return createClient({
    target,
    clock,
    ...wire,
    signal,
    attemptTimeout: options.timeout,
    maxWait: options.maxWait,
    observe: observer(context),
    beforeWrite: () => permitWrite(context),
    ...(options.dryRun && { dryRun: printPlan }),
  });
}

/** The target that the settings describe. The request layer says which credential an operation lacks. */
function targetOf(settings: Settings): Target {
  const { baseUrl, headerPrefix, apiKey, authToken, workspaceId, workspaceAuthToken } = settings;
  if (!baseUrl) throw noCredential(settings);
  return {
    baseUrl: baseUrl.value,
    headerPrefix: headerPrefix.value,
    ...(apiKey && authToken && { key: { apiKey: apiKey.value, authToken: authToken.value } }),
    ...(workspaceId &&
      workspaceAuthToken && {
        workspace: { workspaceId: workspaceId.value, workspaceAuthToken: workspaceAuthToken.value },
      }),
  };
}
