import type { Client } from '../../client/client.ts';
import type { Environment } from '../../kernel/folders.ts';
import { type Sink, withWrite } from '../../kernel/io.ts';
import { once } from '../../kernel/once.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { Format } from '../../output/format.ts';
import type { JqFilter } from '../../output/jq.ts';
import type { Printer } from '../../output/printer.ts';
import type { Progress } from '../../output/progress.ts';
import type { SettingsWithoutSecrets } from '../../profiles/resolve.ts';
import type { Activity } from '../activity.ts';
import type { Context, GlobalOptions, ProcessEnvironment } from '../context.ts';
import { parseFormat } from '../global-flags.ts';
import { optionalProperty } from '../option-values.ts';
import { createSharedTerminal } from '../terminal/shared-terminal.ts';
import { lookFor, progressStyle, signsFor, toTerminalText } from '../terminal/terminal.ts';

/** A context, and the function that closes it after the command. */
export interface OpenedContext {
  readonly context: Context;
  /** @param error error of the command, if it failed */
  close(error?: unknown): Promise<void>;
}

/** Opens a context with the given options. Expensive parts are created on first use. */
export function openContext(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  activity: Activity,
): OpenedContext {
  const closers: (() => Promise<void>)[] = [];
  const openSettings = once(() => readSettings(processEnvironment, options));
  const format = once(async () => {
    if (options.jq !== undefined) return 'json';
    return options.output ?? outputSetting(await openSettings()) ?? 'table';
  });
  let progress: Progress | undefined;
  const stdout = createSharedTerminal(processEnvironment.io.stdout, () => progress);
  const io = { ...processEnvironment.io, stdout, stderr: createMessageSink(processEnvironment) };
  const print = (text: string) => progress?.print(text) ?? io.stderr.write(text);
  const context: Context = {
    ...processEnvironment,
    io,
    options,
    activity,
    progress: once(async () => {
      progress = await openProgress(context, stdout.isInLine);
      return progress;
    }),
    openSettings,
    settings: once(async () => (await openSettings()).withSecrets()),
    format,
    client: once(async () => {
      // Compile the jq expression before anything is sent.
      if (options.jq !== undefined) await context.printer();
      const { connect } = await import('../call/connect.ts');
      const { client, close } = await connect(context);
      closers.push(close);
      return client;
    }) satisfies () => Promise<Client>,
    printer: once(async () => {
      const filter = await openFilter(context);
      if (filter) closers.push(filter.close);
      return openPrinter(context, await format(), filter);
    }),
    note: async (text) => {
      if (!options.quiet) await print(`${escapeForTerminal(text)}\n`);
    },
    warn: (text) => print(`warning: ${escapeForTerminal(text)}\n`),
    confirm: async (question, about = 'service') => {
      if (options.yes) return;
      const [{ confirm }, { serviceLabel: targetName }] = await Promise.all([
        import('../terminal/prompts.ts'),
        import('../call/protected-profile.ts'),
      ]);
      await confirm(context, about === 'service' ? `${question} (${await targetName(context)})` : question);
    },
    ask: async (question) => (await import('../terminal/prompts.ts')).ask(context, question),
    prompter: once(async () => (await import('../terminal/open-prompter.ts')).openPrompter(processEnvironment)),
    askSecret: async (question) => (await import('../terminal/prompts.ts')).askSecret(context, question),
  };
  return {
    context,
    close: async () => {
      await progress?.stop();
      for (const close of closers) await close();
    },
  };
}

/** Creates a sink for messages that uses only characters the terminal can show. */
function createMessageSink({ io: { stderr }, environment }: ProcessEnvironment): Sink {
  return withWrite(stderr, (text) =>
    stderr.write(typeof text === 'string' ? toTerminalText(text, stderr, environment) : text),
  );
}

async function readSettings(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
): Promise<SettingsWithoutSecrets> {
  const { resolveSettingsWithoutSecrets: resolveOpenSettings } = await import('../../profiles/resolve.ts');
  const flags = { ...optionalProperty('profile', options.profile), ...optionalProperty('baseUrl', options.baseUrl) };
  return resolveOpenSettings({ ...processEnvironment, flags });
}

function outputSetting({ output }: SettingsWithoutSecrets): Format | undefined {
  return output && parseFormat(output.value, output.source);
}

async function openProgress({ io, clock, environment, options }: Context, isInLine: () => boolean) {
  const { createProgress } = await import('../../output/progress.ts');
  const style = progressStyle({ io, environment, options });
  return createProgress(io.stderr, clock, style, { isInLine, signs: signsFor({ environment }) });
}

async function openFilter({ options, signal }: Context): Promise<JqFilter | undefined> {
  if (options.jq === undefined) return undefined;
  return (await import('../../output/jq.ts')).openJqFilter(options.jq, signal);
}

async function openPrinter(context: Context, format: Format, filter?: JqFilter): Promise<Printer> {
  const { io, options, environment } = context;
  const { createPrinter } = await import('../../output/printer.ts');
  const { headers, quiet, showSecrets } = options;
  const color = shouldUseColor(options.color, io.stdout, environment);
  return createPrinter(io.stdout, {
    ...{ format, headers, quiet, showSecrets, color, display: lookFor(context, options) },
    warn: context.warn,
    note: context.note,
    ...optionalProperty('fields', options.fields),
    ...optionalProperty('filter', filter?.apply),
  });
}

/** Whether to use color. Precedence: flag, FORCE_COLOR, NO_COLOR, and whether the sink is a terminal. */
export function shouldUseColor(flag: GlobalOptions['color'], sink: Sink, environment: Environment): boolean {
  if (flag !== 'auto') return flag === 'always';
  const forced = environment['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  if (environment['NO_COLOR'] || environment['TERM'] === 'dumb') return false;
  return sink.isTerminal;
}
