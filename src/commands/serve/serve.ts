import { once } from 'node:events';
import { FEATURES, type Feature } from '../../catalog/define.ts';
import type { FaultFileInput } from '../../catalog/fault-rules.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import type { Sink } from '../../kernel/io.ts';
import type { ListenAddress } from '../../kernel/listening.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { currentPlatform } from '../../kernel/process.ts';
import { escapeForTerminal, escapeJsonForTerminal } from '../../kernel/safe-text.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import { loadPalette } from '../../output/palette.ts';
import type { ServiceOptions } from '../../service/app.ts';
import type { LocalCredentials } from '../../service/bootstrap.ts';
import { listFaults } from '../../service/development/faults/fault-control.ts';
import type { RequestRecord } from '../../service/development/requests/request-record.ts';
import { type EmbeddedInstance, openEmbedded } from '../../service/embedded.ts';
import type { RunningService } from '../../service/serving.ts';
import { resolveStoreLocation } from '../../service/store/location.ts';
import { lockForServing } from '../../service/store/serve-lock.ts';
import type { Context } from '../context.ts';
import { DEFAULT_ADDRESS } from '../default-address.ts';
import type { Invocation } from '../definition.ts';
import { createErrorReporter } from '../embedded/error-reporter.ts';
import { readFaultFile } from '../embedded/fault-file.ts';
import { createLineFormatter } from '../embedded/request-line.ts';
import { optionalProperty, parsePort } from '../option-values.ts';
import { shouldUseColor } from '../terminal/terminal.ts';
import type { ServeFlags } from './flags.ts';

export async function serveCommand(context: Context, { options }: Invocation<ServeFlags>): Promise<void> {
  const address = { host: options.host ?? DEFAULT_ADDRESS.host, port: parsePort(options.port) ?? DEFAULT_ADDRESS.port };
  const faults = options.faults === undefined ? undefined : await readFaultFile(context, options.faults);
  const switches = { ...parseServiceSwitches(options), ...optionalProperty('faults', faults) };
  await serve(context, address, { ...switches, timeScale: parseTimeScale(options), ui: options.ui });
}

interface ServeSettings extends ServiceOptions {
  readonly timeScale: number;
  readonly ui: boolean | undefined;
  readonly faults?: FaultFileInput;
}

/** Serves until a signal arrives. Returns on SIGTERM, and throws the reason of other signals. */
export async function serve(context: Context, address: ListenAddress, { timeScale, ui, ...switches }: ServeSettings) {
  const { clock, signal } = context;
  const location = await resolveStoreLocation(context.options.store, context.folders);
  const unlock = await lockForServing(location, clock);
  try {
    const reporting = { report: createErrorReporter(context), onRequest: await createLiveLog(context) };
    const log = { logsRequests: true, logFolder: context.folders.data };
    const embedded = await openEmbedded(location, {
      ...{ clock, signal, ...reporting, ...log, ...switches },
      compareStates: async (first, second) => (await import('../../settings/compare-states.ts')).compareStates(first, second),
    });
    try {
      if (!switches.faults) await announceFaults(context, embedded);
      const server = await embedded.serve(address, { timeScale, ui });
      try {
        await announce(context, server, embedded.target);
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

/** Warns about rules of an earlier time, because requests would fail for no apparent reason. */
async function announceFaults(context: Context, { development }: EmbeddedInstance): Promise<void> {
  const { faults } = await listFaults(development.development);
  if (faults.length === 0) return;
  const rules = formatNounCount(faults.length, 'rule');
  await context.warn(hint`${rules} for faults in this store; ${step('change', 'local', 'faults', 'clear')} removes them`);
}

async function announce(context: Context, { url, admin, ui }: RunningService, { key, workspace }: EmbeddedInstance['target']) {
  const format = await context.format();
  const isJson = format === 'json' || format === 'ndjson';
  const credentials = { ...key, ...workspace };
  const readyLine = `${escapeJsonForTerminal(JSON.stringify({ url, ...credentials, admin, ui }))}\n`;
  await context.io.stdout.write(isJson ? readyLine : formatWelcome({ url, admin, ui }, credentials));
}

/** Formats the credentials as commands for another terminal. On Windows, the commands are for PowerShell. */
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
  const exports = variables.map(([name, value]) => (isWindows ? `  $env:${name} = '${value}'` : `  export ${name}=${value}`));
  const token = admin === undefined ? [] : [`Admin token for ${url}/_svc/: ${admin}`, ''];
  const tools = ui === undefined ? token : [`Inspector: ${ui}`, ''];
  const title = `Serving on ${url}. In another ${isWindows ? 'PowerShell' : 'terminal'}:`;
  return [title, '', ...exports, '', ...tools, 'Ctrl-C stops it.', ''].map(escapeForTerminal).join('\n');
}

function parseServiceSwitches({ without, rateLimit, strict }: ServeFlags): ServiceOptions {
  return {
    ...optionalProperty('without', without?.split(',').map(parseFeature)),
    ...optionalProperty('rateLimit', rateLimit === undefined ? undefined : parseRateLimit(rateLimit)),
    strict: strict === true,
  };
}

function parseTimeScale(options: ServeFlags): number {
  const text = options.timeScale ?? '1';
  const factor = /^\d+(\.\d+)?(e-?\d+)?$/i.test(text) ? Number(text) : 0;
  if (factor > 0 && factor <= MAX_TIME_SCALE) return factor;
  throw new SvcError('usage', `--time-scale must be a number above 0 and at most ${MAX_TIME_SCALE}, got '${text}'`, {
    hint: 'for example --time-scale 0.001 turns an hour into 3.6 s',
  });
}

const MAX_TIME_SCALE = 1_000;

function parseFeature(name: string): Feature {
  const feature = FEATURES.find((known) => known === name.trim());
  if (feature) return feature;
  throw new SvcError('usage', `--without: unknown feature '${name}'`, { hint: didYouMean(name, FEATURES) });
}

/** Parses a rate limit, such as `60/1m`, as calls per milliseconds. */
function parseRateLimit(text: string): NonNullable<ServiceOptions['rateLimit']> {
  const [, calls, time = ''] = /^([1-9]\d{0,8})\/(.+)$/.exec(text) ?? [];
  const window = parseDuration(time);
  if (calls === undefined || !window) {
    throw new SvcError('usage', `--rate-limit must be calls per duration, got '${text}'`, {
      hint: 'for example --rate-limit 60/1m',
    });
  }
  return { calls: Number(calls), window };
}

/** Maximum bytes waiting for a slow reader. Further lines are dropped, so that the service is not delayed. */
const MAX_PENDING_BYTES = 1_000_000;

/** Prints NDJSON on stdout with `-o ndjson`, or text on a terminal's stderr. Returns `undefined` if there is no log. */
export async function createLiveLog(context: Context): Promise<((record: RequestRecord) => void) | undefined> {
  const { io, options, environment } = context;
  if (options.quiet) return undefined;
  const format = await context.format();
  if (format === 'ndjson') {
    const write = createLineWriter(io.stdout, (dropped) => `${JSON.stringify({ dropped })}\n`);
    return (record) => write(`${escapeJsonForTerminal(JSON.stringify({ ...record, milliseconds: record.ms }))}\n`);
  }
  if (format === 'json' || !io.stderr.isTerminal) return undefined;
  const palette = await loadPalette(shouldUseColor(options.color, io.stderr, environment));
  const write = createLineWriter(io.stderr, (dropped) => `${dropped} lines dropped\n`);
  const formatLine = createLineFormatter(io.stderr.columns, palette);
  return (record) => write(`${formatLine(record)}\n`);
}

/** Creates a function that writes lines without waiting for the reader. A write error ends the log. */
function createLineWriter(sink: Sink, describeDropped: (lines: number) => string): (line: string) => void {
  let [pending, dropped, isOpen] = [0, 0, true];
  const write = (text: string) => {
    pending += text.length;
    const done = () => {
      pending -= text.length;
    };
    sink.write(text).then(done, () => {
      isOpen = false;
    });
  };
  return (line) => {
    // Accessing `stream` opens the stream, because the first write to an unopened sink blocks the process.
    if (!isOpen || !sink.stream.writable) return;
    if (pending + line.length > MAX_PENDING_BYTES) {
      dropped += 1;
      return;
    }
    if (dropped > 0) write(describeDropped(dropped));
    dropped = 0;
    write(line);
  };
}
