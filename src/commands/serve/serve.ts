import { once } from 'node:events';
import { SvcError } from '../../kernel/errors.ts';
import { thisPlatform } from '../../kernel/io.ts';
import type { Address } from '../../kernel/listening.ts';
import { safeJson, safeText } from '../../kernel/safe-text.ts';
import { VARIABLES } from '../../kernel/variables.ts';
import type { Switches } from '../../service/app.ts';
import { type LocalCredentials, localCredentials } from '../../service/bootstrap.ts';
import { startDeliveries } from '../../service/deliveries/engine.ts';
import { finishMigrations } from '../../service/records/migrations.ts';
import { loadOperations } from '../../service/routes.ts';
import { startServer } from '../../service/server.ts';
import { createService } from '../../service/service.ts';
import { storeLocation } from '../../service/store/location.ts';
import { openStore } from '../../service/store/open.ts';
import { lockForServing } from '../../service/store/serve-lock.ts';
import type { Store } from '../../service/store/store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { portOf } from '../line/port.ts';
import { textValue } from '../option-values.ts';
import { DEFAULT_ADDRESS } from './default-address.ts';
import { serviceSwitches, timeScaleOf } from './switches.ts';
import { troubleTeller } from './troubles.ts';

export async function serveCommand(context: Context, { options }: Invocation): Promise<void> {
  const address = {
    host: textValue(options, 'host') ?? DEFAULT_ADDRESS.host,
    port: portOf(textValue(options, 'port')) ?? DEFAULT_ADDRESS.port,
  };
  await serve(context, address, { ...serviceSwitches(options), timeScale: timeScaleOf(options) });
}

interface ServeOptions extends Switches {
  /** What every delay of deliveries is multiplied by. */
  readonly timeScale: number;
}

/** Serves the store until a signal comes: SIGTERM is the ordinary end, any other one ends the run as it says. */
export async function serve(context: Context, address: Address, switches: ServeOptions): Promise<void> {
  const location = await storeLocation(context.options.store, context.folders);
  const unlock = await lockForServing(location);
  try {
    const store = await openStore(location, { signal: context.signal });
    try {
      await serveStore(context, store, address, switches);
    } finally {
      await store.close();
    }
  } finally {
    unlock();
  }
  const { reason } = context.signal;
  if (!(reason instanceof SvcError && reason.failure === 'terminated')) throw reason;
}

async function serveStore(context: Context, store: Store, address: Address, options: ServeOptions): Promise<void> {
  const { clock, signal, io } = context;
  const credentials = await localCredentials(store);
  const report = troubleTeller(context);
  await Promise.all([finishMigrations(store), loadOperations()]);
  const { timeScale, ...switches } = options;
  const service = createService({ store, clock, report, ...switches });
  const server = await startServer(service.answer, address);
  const deliveries = startDeliveries(store, { clock, timeScale, privateTargets: server.isLoopback, report });
  try {
    const format = await context.format();
    const isForScripts = format === 'json' || format === 'ndjson';
    await io.stdout.write(isForScripts ? readyLine(server.url, credentials) : welcome(server.url, credentials));
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await Promise.all([server.close(), deliveries.stop()]);
    await service.settled();
  }
}

function readyLine(url: string, { apiKey, authToken, workspaceId, workspaceAuthToken }: LocalCredentials): string {
  return `${safeJson(JSON.stringify({ url, apiKey, authToken, workspaceId, workspaceAuthToken }))}\n`;
}

/** For a person: what to paste into another terminal, which is a PowerShell on Windows. */
export function welcome(url: string, credentials: LocalCredentials, platform = thisPlatform): string {
  const variables = [
    [VARIABLES.baseUrl, url],
    [VARIABLES.apiKey, credentials.apiKey],
    [VARIABLES.authToken, credentials.authToken],
    [VARIABLES.workspaceId, credentials.workspaceId],
    [VARIABLES.workspaceAuthToken, credentials.workspaceAuthToken],
  ];
  const isWindows = platform === 'win32';
  const exports = variables.map(([name, value]) =>
    isWindows ? `  $env:${name} = '${value}'` : `  export ${name}=${value}`,
  );
  return [
    `Serving on ${url}. In another ${isWindows ? 'PowerShell' : 'terminal'}:`,
    '',
    ...exports,
    '',
    'Ctrl-C stops it.',
    '',
  ]
    .map(safeText)
    .join('\n');
}
