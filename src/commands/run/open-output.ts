import { type Hint, hint, SvcError } from '../../kernel/errors.ts';
import { withWrite } from '../../kernel/io.ts';
import { warnOfCommands } from '../../kernel/log-commands.ts';
import { once } from '../../kernel/once.ts';
import type { Format } from '../../output/format.ts';
import { formatJsonMessage, formatMessage, type MessageLevel } from '../../output/message-text.ts';
import type { FilterText, Pager, Printer } from '../../output/printer.ts';
import type { Progress } from '../../output/progress.ts';
import type { Context, GlobalOptions, OutputParts, ProcessEnvironment } from '../context.ts';
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
  usesJsonMessages,
} from '../terminal/terminal.ts';

export interface OpenedOutput extends OutputParts {
  /** Resolves if the jq expression is valid. */
  checkFilter(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Opens the output of a command: the streams, the printer, and the progress display, each on first
 * use.
 * @param readFormat reads the format in the settings, if no flag sets it
 * @param context returns the context that the output belongs to
 */
export function openOutput(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  readFormat: () => Promise<Format | undefined>,
  context: () => Context,
): OpenedOutput {
  const filter = startFilter(processEnvironment, options);
  let progress: Progress | undefined;
  const {
    environment,
    io: { stderr },
  } = processEnvironment;
  const stdout = createSharedTerminal(
    warnOfCommands(processEnvironment.io.stdout, (text) => printMessage('warning', text)),
    () => progress,
  );
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
  const printMessage = async (level: MessageLevel, message: string | Hint) => {
    if (usesJsonMessages({ options, environment })) {
      const line = formatJsonMessage(level, message);
      if (line !== '') await io.stderr.write(line);
      return;
    }
    const text = level === 'warning' ? hint`warning: ${message}` : message;
    await print(await formatMessage(text, io.stderr));
  };
  const format = once(async () => {
    const used =
      options.jq === undefined ? (options.output ?? (await readFormat()) ?? 'table') : 'json';
    if (options.bom && used !== 'csv') throw new SvcError('usage', '--bom requires -o csv');
    return used;
  });
  return {
    io,
    format,
    progress: once(async () => {
      const { createProgress } = await import('../../output/progress.ts');
      const glyphs = selectGlyphs(context());
      const terminal = { isInLine: stdout.isInLine, holdMessage, glyphs };
      progress = createProgress(
        io.stderr,
        processEnvironment.clock,
        progressStyle(context()),
        terminal,
      );
      return progress;
    }),
    printer: once(async () =>
      openPrinter(context(), await format(), await filter, stdout, (write) =>
        stdout.writeDocument(write, print),
      ),
    ),
    note: async (message) => {
      if (!options.quiet) await printMessage('info', addServiceFlags(options, message));
    },
    warn: (message) => printMessage('warning', addServiceFlags(options, message)),
    checkFilter: async () => filter,
    close: async () => progress?.stop(),
  };
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
    ...optionalProperty('list', options.list),
    ...optionalProperty('filter', filter),
  });
}
