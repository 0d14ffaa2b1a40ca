import { once } from 'node:events';
import { SvcError } from '../../kernel/errors.ts';
import { thisPlatform } from '../../kernel/io.ts';
import type { Address } from '../../kernel/listening.ts';
import { safeJson, safeText } from '../../kernel/safe-text.ts';
import { VARIABLES } from '../../kernel/variables.ts';
import type { Switches } from '../../service/app.ts';
import type { LocalCredentials } from '../../service/bootstrap.ts';
import { type Embedded, openEmbedded } from '../../service/embedded.ts';
import { storeLocation } from '../../service/store/location.ts';
import { lockForServing } from '../../service/store/serve-lock.ts';
import type { Context } from '../context.ts';
import { DEFAULT_ADDRESS } from '../default-address.ts';
import type { Invocation } from '../definition.ts';
import { troubleTeller } from '../embedded/troubles.ts';
import { textValue } from '../option-values.ts';
import { portOf } from '../port.ts';
import { serviceSwitches, timeScaleOf } from './switches.ts';

export async function serveCommand(context: Context, { options }: Invocation): Promise<void> {
  const address = {
    host: textValue(options, 'host') ?? DEFAULT_ADDRESS.host,
    port: portOf(textValue(options, 'port')) ?? DEFAULT_ADDRESS.port,
  };
  await serve(context, address, { ...serviceSwitches(options), timeScale: timeScaleOf(options) });
}

interface CommandOptions extends Switches {
  /** What every delay of deliveries is multiplied by. */
  readonly timeScale: number;
}

/** Serves the store until a signal comes: SIGTERM is the ordinary end, any other one ends the run as it says. */
export async function serve(context: Context, address: Address, options: CommandOptions): Promise<void> {
  const { clock, signal } = context;
  const { timeScale, ...switches } = options;
  const location = await storeLocation(context.options.store, context.folders);
  const unlock = await lockForServing(location, clock);
  try {
    const embedded = await openEmbedded(location, { clock, signal, report: troubleTeller(context), ...switches });
    try {
      const server = await embedded.serve(address, { timeScale });
      try {
        await announce(context, server.url, embedded.target);
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        await server.close();
      }
    } finally {
      await embedded.close();
    }
  } finally {
    unlock();
  }
  const { reason } = signal;
  if (!(reason instanceof SvcError && reason.failure === 'terminated')) throw reason;
}

async function announce(context: Context, url: string, { key, workspace }: Embedded['target']): Promise<void> {
  const format = await context.format();
  const isForScripts = format === 'json' || format === 'ndjson';
  const credentials = { ...key, ...workspace };
  await context.io.stdout.write(isForScripts ? readyLine(url, credentials) : welcome(url, credentials));
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
