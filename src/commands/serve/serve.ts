import { once } from 'node:events';
import { FEATURES, type Feature } from '../../catalog/define.ts';
import type { FaultFileInput } from '../../catalog/fault-rules.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { ListenAddress } from '../../kernel/listening.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { currentPlatform } from '../../kernel/process.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../../kernel/safe-text.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import type { ServiceOptions } from '../../service/app.ts';
import { type EmbeddedInstance, openEmbedded } from '../../service/embedded.ts';
import { listFaults } from '../../service/local/faults/fault-control.ts';
import type { LocalCredentials } from '../../service/records/bootstrap.ts';
import type { RunningService } from '../../service/serving.ts';
import {
  displayStoreLocation,
  lockForServing,
  resolveStoreLocation,
} from '../../service/store/location.ts';
import { compareStates } from '../../settings/plan/compare.ts';
import { readFaultFile } from '../connection/fault-file.ts';
import { findReadOnlyOfAddress } from '../connection/protections.ts';
import { announceServer } from '../connection/running-servers.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty, parsePort } from '../options.ts';
import { DEFAULT_ADDRESS } from '../service-flags.ts';
import { createErrorReporter } from '../terminal/error-reporter.ts';
import type { ServeFlags } from './flags.ts';
import { createLiveLog } from './live-log.ts';

export async function serveCommand(
  context: Context,
  { options }: Invocation<ServeFlags>,
): Promise<void> {
  const address = {
    host: options.host ?? DEFAULT_ADDRESS.host,
    port: parsePort(options.port) ?? DEFAULT_ADDRESS.port,
  };
  const readOnly =
    options.readOnly === true || (await findReadOnlyOfAddress(context)) !== undefined;
  if (readOnly && options.faults !== undefined)
    throw new SvcError('usage', '--faults changes the store, and a read-only service does not');
  const faults =
    options.faults === undefined ? undefined : await readFaultFile(context, options.faults);
  const switches = { ...parseServiceSwitches(options), ...optionalProperty('faults', faults) };
  await serve(context, address, {
    ...switches,
    readOnly,
    timeScale: parseTimeScale(options),
    ui: options.ui,
  });
}

interface ServeSettings extends ServiceOptions {
  readonly timeScale: number;
  readonly ui: boolean | undefined;
  readonly faults?: FaultFileInput;
}

/**
 * Serves until a signal arrives. Returns after SIGTERM, and throws the abort reason after other
 * signals.
 */
export async function serve(
  context: Context,
  address: ListenAddress,
  { timeScale, ui, ...switches }: ServeSettings,
) {
  const { clock, signal } = context;
  const location = await resolveStoreLocation(context.options.store, context.folders);
  const unlock = await lockForServing(location, clock);
  try {
    const reporting = {
      report: createErrorReporter(context),
      ...(await createLiveLog(context)),
    };
    const log = { logsRequests: true, logFolder: context.folders.data };
    const embedded = await openEmbedded(location, {
      clock,
      signal,
      ...reporting,
      ...log,
      ...switches,
      compareStates,
    });
    await closeAfter(embedded, async () => {
      if (!switches.faults) await announceFaults(context, embedded);
      await closeAfter(await embedded.serve(address, { timeScale, ui }), async (server) => {
        const store = displayStoreLocation(location);
        const forget = await announceServer(context.folders, {
          url: server.url,
          ui: server.ui ?? null,
          store,
          startedAt: clock.now(),
        });
        try {
          await announce(context, server, embedded.target);
          if (!signal.aborted) await once(signal, 'abort');
        } finally {
          await forget();
        }
      });
    });
  } finally {
    unlock();
  }
  const { reason } = signal;
  if (!(reason instanceof SvcError && reason.failure === 'terminated')) throw reason;
}

/**
 * Warns about fault rules that were added earlier, because requests would fail for no apparent
 * reason.
 */
async function announceFaults(context: Context, { development }: EmbeddedInstance): Promise<void> {
  const { faults } = await listFaults(development.development);
  if (faults.length === 0) return;
  const rules = formatNounCount(faults.length, 'active fault rule');
  await context.warn(
    hint`${rules} in this store; to remove all rules, run ${step('change', 'local', 'faults', 'clear')}`,
  );
}

async function announce(
  context: Context,
  { url, admin, ui }: RunningService,
  { key, workspace }: EmbeddedInstance['target'],
) {
  const format = await context.format();
  const isJson = format === 'json' || format === 'ndjson';
  const credentials = { ...key, ...workspace };
  const readyLine = `${escapeJsonForTerminal(JSON.stringify({ url, ...credentials, admin, ui }))}\n`;
  await context.io.stdout.write(
    isJson ? readyLine : formatWelcome({ url, admin, ui }, credentials),
  );
}

/**
 * Formats the credentials as commands for another terminal. On Windows, the commands are for
 * PowerShell.
 */
export function formatWelcome(
  { url, admin, ui }: Pick<RunningService, 'url' | 'admin' | 'ui'>,
  credentials: LocalCredentials,
  platform = currentPlatform,
): string {
  const settings = ['apiKey', 'authToken', 'workspaceId', 'workspaceAuthToken'] as const;
  const variables = [
    [SETTING_VARIABLES.baseUrl, url],
    ...settings.map((setting) => [SETTING_VARIABLES[setting], credentials[setting]]),
  ];
  const isWindows = platform === 'win32';
  const exports = variables.map(([name, value]) =>
    isWindows ? `  $env:${name} = '${value}'` : `  export ${name}=${value}`,
  );
  const token = admin === undefined ? [] : [`Admin token for ${url}/_svc/: ${admin}`, ''];
  const tools = ui === undefined ? token : [`Inspector: ${ui}`, ''];
  const title = `Serving on ${url}. In another ${isWindows ? 'PowerShell' : 'terminal'}:`;
  return [title, '', ...exports, '', ...tools, 'Press Ctrl-C to stop.', '']
    .map(escapeForTerminal)
    .join('\n');
}

function parseServiceSwitches({ without, rateLimit, strict }: ServeFlags): ServiceOptions {
  return {
    ...optionalProperty('without', without?.split(',').map(parseFeature)),
    ...optionalProperty(
      'rateLimit',
      rateLimit === undefined ? undefined : parseRateLimit(rateLimit),
    ),
    strict: strict === true,
  };
}

function parseTimeScale(options: ServeFlags): number {
  const text = options.timeScale ?? '1';
  const factor = /^\d+(\.\d+)?(e-?\d+)?$/i.test(text) ? Number(text) : 0;
  if (factor > 0 && factor <= MAX_TIME_SCALE) return factor;
  throw new SvcError(
    'usage',
    `--time-scale must be a number above 0 and at most ${MAX_TIME_SCALE}, got '${text}'`,
    {
      hint: 'for example, --time-scale 0.001 turns an hour into 3.6 s',
    },
  );
}

const MAX_TIME_SCALE = 1_000;

function parseFeature(name: string): Feature {
  const feature = FEATURES.find((known) => known === name.trim());
  if (feature) return feature;
  throw new SvcError('usage', `--without: unknown feature '${name}'`, {
    hint: didYouMean(name, FEATURES),
  });
}

/** Parses a rate limit such as `60/1m`: a number of calls, and a window in milliseconds. */
function parseRateLimit(text: string): NonNullable<ServiceOptions['rateLimit']> {
  const [, calls, time = ''] = /^([1-9]\d{0,8})\/(.+)$/.exec(text) ?? [];
  const window = parseDuration(time);
  if (calls === undefined || !window) {
    throw new SvcError(
      'usage',
      `--rate-limit must be a number of calls per duration, got '${text}'`,
      {
        hint: 'for example, --rate-limit 60/1m',
      },
    );
  }
  return { calls: Number(calls), window };
}
