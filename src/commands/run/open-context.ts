import { hint, SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { withWrite } from '../../kernel/io.ts';
import { once } from '../../kernel/once.ts';
import { FORMATS, type Format } from '../../output/format.ts';
import { formatMessage } from '../../output/message-text.ts';
import type { FilterText, Pager, Printer } from '../../output/printer.ts';
import type { Progress } from '../../output/progress.ts';
import type { SettingsWithoutSecrets } from '../../profiles/resolve.ts';
import type { Activity } from '../activity.ts';
import type { Context, GlobalOptions, OpenedContext, ProcessEnvironment } from '../context.ts';
import { parseFormat } from '../global-flags.ts';
import { optionalProperty } from '../options.ts';
import { addServiceFlags } from '../service-flags.ts';
import { createSharedTerminal, type SharedTerminal } from '../terminal/shared-terminal.ts';
import {
  canAsk,
  createDisplayOptions,
  prefersPlainText,
  progressStyle,
  selectGlyphs,
  shouldUseColor,
  toTerminalText,
} from '../terminal/terminal.ts';

/**
 * Opens a context with the given options. Creates expensive parts on first use.
 * @param isLocalOnly whether the command uses only the embedded service, and can run without
 * readable settings
 */
export function openContext(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  activity: Activity,
  {
    isLocalOnly = false,
    inputNaming = 'flags',
  }: { readonly isLocalOnly?: boolean; readonly inputNaming?: Context['inputNaming'] } = {},
): OpenedContext {
  const closeFunctions: ((error?: unknown) => Promise<void>)[] = [];
  const openSettings = once(() => readSettings(processEnvironment, options, isLocalOnly));
  const format = once(async () => {
    const used =
      options.jq === undefined
        ? (options.output ?? outputSetting(await openSettings(), isLocalOnly) ?? 'table')
        : 'json';
    if (options.bom && used !== 'csv') throw new SvcError('usage', '--bom requires -o csv');
    return used;
  });
  const filter = startFilter(processEnvironment, options);
  let progress: Progress | undefined;
  const stdout = createSharedTerminal(processEnvironment.io.stdout, () => progress);
  const {
    environment,
    io: { stderr },
  } = processEnvironment;
  const io = {
    ...processEnvironment.io,
    stdout,
    stderr: withWrite(stderr, (text) =>
      stderr.write(typeof text === 'string' ? toTerminalText(text, stderr, environment) : text),
    ),
  };
  const holdMessage = (text: string) => io.stderr.isTerminal && stdout.holdMessage(text);
  const print = async (text: string) => {
    if (!holdMessage(text)) await (progress?.print(text) ?? io.stderr.write(text));
  };
  const connection = once(() => {
    const connecting = import('../connection/connect.ts').then(({ connect }) => connect(context));
    // A failed connection has nothing to close.
    const opened = connecting.catch(() => undefined);
    closeFunctions.push(async (error) => (await opened)?.close(error));
    return connecting;
  });
  const context: Context = {
    ...processEnvironment,
    io,
    options,
    activity,
    inputNaming,
    reopen: ({ options: changed = options, inputNaming: naming = inputNaming, ...parts }) =>
      openContext({ ...context, ...parts }, changed, activity, {
        isLocalOnly,
        inputNaming: naming,
      }),
    progress: once(async () => {
      const { createProgress } = await import('../../output/progress.ts');
      const terminal = { isInLine: stdout.isInLine, holdMessage, glyphs: selectGlyphs(context) };
      progress = createProgress(io.stderr, context.clock, progressStyle(context), terminal);
      return progress;
    }),
    openSettings,
    settings: once(async () => (await openSettings()).withSecrets()),
    readOnly: once(async () => {
      const { findReadOnly } = await import('../connection/protections.ts');
      return findReadOnly(context, options.local || isLocalOnly);
    }),
    approvals: once(async () => {
      if (options.local || isLocalOnly || !(await openSettings()).approvals) return undefined;
      const { findPlanApprovals } = await import('../connection/protections.ts');
      return findPlanApprovals(context);
    }),
    format,
    tracing: once(async () => {
      if (!namesCollector(processEnvironment.environment)) return undefined;
      const { recordSpans } = await import('../connection/record-spans.ts');
      return recordSpans(processEnvironment.environment);
    }),
    client: async () => {
      const connecting = connection();
      // An invalid jq expression fails before anything is sent.
      await filter;
      return (await connecting).client;
    },
    embedded: async () => (await connection()).embedded,
    printer: once(async () =>
      openPrinter(context, await format(), await filter, stdout, (write) =>
        stdout.writeDocument(write, print),
      ),
    ),
    note: async (message) => {
      if (!options.quiet)
        await print(await formatMessage(addServiceFlags(options, message), io.stderr));
    },
    warn: async (message) =>
      print(await formatMessage(hint`warning: ${addServiceFlags(options, message)}`, io.stderr)),
    confirm: async (question, about = 'service') => {
      if (about === 'service') await checkProtections(context);
      if (options.yes) return;
      const { serviceLabel } = await import('../connection/protected-profile.ts');
      await confirm(
        context,
        about === 'service' ? `${question} (${await serviceLabel(context)})` : question,
      );
    },
    prompter: once(async () =>
      (await import('../terminal/terminal.ts')).openPrompter(processEnvironment),
    ),
  };
  return {
    context,
    close: async (error) => {
      await progress?.stop();
      for (const close of closeFunctions) await close(error);
    },
  };
}

/** Whether the environment names a collector of spans. Without one, nothing more is loaded. */
function namesCollector(environment: Environment): boolean {
  return Boolean(
    environment['OTEL_EXPORTER_OTLP_ENDPOINT'] || environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'],
  );
}

/**
 * Refuses a write to a read-only target, and a write to a protected profile if the user cannot be
 * asked, before any question.
 * @throws SvcError `read_only` or `usage`
 */
async function checkProtections(context: Context): Promise<void> {
  const { ensureAllowed } = await import('../connection/protections.ts');
  await ensureAllowed(context, { effect: 'once' });
  if (canAsk(context)) return;
  const { checkProtectedProfile } = await import('../connection/protected-profile.ts');
  await checkProtectedProfile(context);
}

/**
 * Asks for confirmation.
 * @throws SvcError `usage` if the user declines, or if prompts are not possible
 */
async function confirm(context: Context, question: string): Promise<void> {
  if (!canAsk(context))
    throw new SvcError('usage', `confirmation required: ${question}`, {
      hint: 'add --yes to confirm without a prompt',
    });
  const prompter = await context.prompter();
  if (!(await prompter.confirm(question, false)))
    throw new SvcError('usage', 'not confirmed; nothing was changed');
}

async function readSettings(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  isLocalOnly: boolean,
) {
  const { resolveSettingsWithoutSecrets, EMPTY_SETTINGS } = await import(
    '../../profiles/resolve.ts'
  );
  const flags = {
    ...optionalProperty('profile', options.profile),
    ...optionalProperty('baseUrl', options.baseUrl),
    ...optionalProperty('clientCert', options.clientCert),
    ...optionalProperty('clientKey', options.clientKey),
  };
  const isLocal = options.local || isLocalOnly;
  const resolving = resolveSettingsWithoutSecrets({ ...processEnvironment, flags, isLocal });
  return isLocalOnly ? resolving.catch(() => EMPTY_SETTINGS) : resolving;
}

function outputSetting(
  { output }: SettingsWithoutSecrets,
  isLocalOnly: boolean,
): Format | undefined {
  if (isLocalOnly) return FORMATS.find((known) => known === output?.value);
  return output && parseFormat(output.value, output.source);
}

/** Starts to compile the jq expression. A syntax error is thrown on the first use of the filter. */
function startFilter(
  { signal }: ProcessEnvironment,
  { jq }: GlobalOptions,
): Promise<FilterText> | undefined {
  if (jq === undefined) return undefined;
  const filter = import('../../output/path-filter.ts').then(({ openFilter }) =>
    openFilter(jq, signal),
  );
  filter.catch(() => undefined);
  return filter;
}

/** Creates a pager, unless the output is not interactive or the user prefers plain text. */
function createPager(context: Context, terminal: SharedTerminal): Pager | undefined {
  const { rows } = terminal;
  if (!rows || !context.options.pager || !canAsk(context) || prefersPlainText(context))
    return undefined;
  return {
    rows,
    show: async (texts) =>
      (await import('../terminal/pager.ts')).showInPager(context.environment, terminal, texts),
  };
}

async function openPrinter(
  context: Context,
  format: Format,
  filter: FilterText | undefined,
  terminal: SharedTerminal,
  writeDocument: (write: () => Promise<void>) => Promise<void>,
): Promise<Printer> {
  const { io, options, environment } = context;
  const { createPrinter } = await import('../../output/printer.ts');
  const { headers, bom, quiet, showSecrets } = options;
  const color = shouldUseColor(options.color, io.stdout, environment);
  return createPrinter(io.stdout, {
    format,
    headers,
    bom,
    quiet,
    showSecrets,
    color,
    signal: context.signal,
    display: createDisplayOptions(context, options),
    warn: context.warn,
    note: context.note,
    // NDJSON can be endless, so messages are printed between its lines.
    ...(format !== 'ndjson' && { writeDocument }),
    ...optionalProperty(
      'tablePager',
      format === 'table' ? createPager(context, terminal) : undefined,
    ),
    ...optionalProperty('fields', options.fields),
    ...optionalProperty('filter', filter),
  });
}
