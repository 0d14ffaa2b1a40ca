import { type Client, type ClientOptions, createClient, type Target } from '../client/client.ts';
import { type NetworkOptions, openNetwork } from '../client/network.ts';
import type { PooledTransport, PoolOptions } from '../client/pool-transport.ts';
import { muteWarnings } from '../kernel/io.ts';
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
    return connectByNetwork(context, target);
  }
  const { openLocalService } = await import('../service/local.ts');
  const { folders, clock, options } = context;
  const service = await openLocalService({ folders, clock, ...given('store', options.store) });
  return { client: clientTo(context, service.target, { fetch: service.fetch }), close: () => service.close() };
}

async function connectByNetwork(context: Context, target: Target): Promise<Connection> {
  const { tls, close, ...wire } = await openNetwork(await networkOptions(context, target));
  const pool = lazyPool({ baseUrl: target.baseUrl, attemptTimeout: context.options.timeout, ...given('tls', tls) });
  return {
    // What goes through a proxy goes by its fetch.
    client: clientTo(context, target, wire.proxy ? wire : { ...wire, pool: pool.open }),
    close: async () => {
      await Promise.all([pool.close(), close()]);
    },
  };
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

async function networkOptions(context: Context, { baseUrl }: Target): Promise<NetworkOptions> {
  const { environment, options, cwd } = context;
  if (baseUrl.startsWith('https:') && environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') await warnOfNoTls(context);
  const authorities = options.caFile === undefined ? undefined : await readAuthorities(options.caFile, cwd);
  return { baseUrl, environment, attemptTimeout: options.timeout, ...given('authorities', authorities) };
}

/** In words for users, instead of those that Node has for programmers. */
async function warnOfNoTls({ warn }: Context): Promise<void> {
  const variable = 'NODE_TLS_REJECT_UNAUTHORIZED';
  muteWarnings((text) => text.includes(variable));
  await warn(`${variable}=0: any server is taken for the service, and can read the credentials; --ca-file trusts one`);
}

async function readAuthorities(file: string, cwd: string): Promise<string> {
  const { readCertificates } = await import('./ca-file.ts');
  return readCertificates(file, cwd);
}

function clientTo(context: Context, target: Target, wire: Pick<ClientOptions, 'fetch' | 'pool' | 'proxy'>): Client {
  const { clock, signal, options, io } = context;
  const printPlan: ClientOptions['dryRun'] = (request) => io.stdout.write(`${JSON.stringify(request, null, 2)}\n`);
  return createClient({
    ...wire,
    target,
    clock,
    signal,
    attemptTimeout: options.timeout,
    maxWait: options.maxWait,
    insecureHttp: options.insecureHttp,
    observe: observer(context),
    beforeWrite: () => permitWrite(context),
    ...(options.dryRun && { dryRun: printPlan }),
  });
}

/**
 * The target that the settings describe. The request layer says which half of a credential an operation lacks.
 * @throws SvcError `no_credential` when there is no address
 */
function targetOf(settings: Settings): Target {
  const { baseUrl, headerPrefix, apiKey, authToken, workspaceId, workspaceAuthToken, withheld } = settings;
  if (!baseUrl) throw noCredential(settings);
  return {
    baseUrl: baseUrl.value,
    headerPrefix: headerPrefix.value,
    key: { apiKey: apiKey?.value ?? '', authToken: authToken?.value ?? '' },
    workspace: { workspaceId: workspaceId?.value ?? '', workspaceAuthToken: workspaceAuthToken?.value ?? '' },
    sources: {
      ...(apiKey && authToken && { key: { id: apiKey.source, token: authToken.source } }),
      ...(workspaceId &&
        workspaceAuthToken && { workspace: { id: workspaceId.source, token: workspaceAuthToken.source } }),
    },
    ...given('withheld', withheld),
  };
}
