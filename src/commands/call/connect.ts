import { type Client, type ClientOptions, createClient, type Target } from '../../client/client.ts';
import { jsonDocument } from '../../output/json.ts';
import { noCredential } from '../../profiles/missing-settings.ts';
import type { Settings } from '../../profiles/resolve.ts';
import { watched } from '../activity.ts';
import type { Context } from '../context.ts';
import { given } from '../option-values.ts';
import { awaited } from './awaited.ts';
import { callLog } from './call-log.ts';
import { permitWrite } from './protection.ts';
import { localRoute, networkRoute, type Route } from './route.ts';

export interface Connection {
  readonly client: Client;
  close(): Promise<void>;
}

/** The client of this run: over the network as the settings say, or to the embedded service in this process. */
export async function connect(context: Context): Promise<Connection> {
  if (context.options.local) {
    const { target, ...route } = await localRoute(context);
    return connection(context, target, route);
  }
  const target = targetOf(await context.settings());
  return connection(context, target, await networkRoute(context, target));
}

function connection(context: Context, target: Target, { wire, close }: Route): Connection {
  const { clock, signal, options, io } = context;
  const printPlan: ClientOptions['dryRun'] = (request) => io.stdout.write(jsonDocument(request, io.stdout.isTerminal));
  const client = createClient({
    ...wire,
    target,
    clock,
    signal,
    maxWait: options.maxWait,
    insecureHttp: options.insecureHttp,
    observe: callLog(context),
    beforeWrite: () => permitWrite(context),
    ...(options.dryRun && { dryRun: printPlan }),
  });
  return {
    client: options.dryRun ? client : awaited(watched(client, context.activity), context, hostOf(target, options)),
    close,
  };
}

/** Who answers, for people. */
function hostOf({ baseUrl }: Target, { local }: Context['options']): string {
  return local ? 'the embedded service' : (URL.parse(baseUrl)?.host ?? baseUrl);
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
