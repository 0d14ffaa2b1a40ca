import type { Client } from '../../client/client.ts';
import type { Environment } from '../../kernel/folders.ts';
import { type Sink, writtenBy } from '../../kernel/io.ts';
import { once } from '../../kernel/once.ts';
import { safeText } from '../../kernel/safe-text.ts';
import type { Format } from '../../output/format.ts';
import type { Filter } from '../../output/jq.ts';
import type { Printer } from '../../output/printer.ts';
import type { Progress } from '../../output/progress.ts';
import type { OpenSettings } from '../../profiles/resolve.ts';
import type { Activity } from '../activity.ts';
import type { Context, GlobalOptions, ProcessEnvironment } from '../context.ts';
import { formatOf } from '../global-flags.ts';
import { given } from '../option-values.ts';
import { sharedTerminal } from '../terminal/shared-terminal.ts';
import { lookFor, progressStyle, shownText, signsFor } from '../terminal/terminal.ts';

/** A context, and the function that closes it when the command is over. */
export interface OpenContext {
  readonly context: Context;
  /** @param error what the command failed with, if it failed */
  close(error?: unknown): Promise<void>;
}

/** Opens a context with the given options. Expensive parts are made once, at first use. */
export function openContext(
  processEnvironment: ProcessEnvironment,
  options: GlobalOptions,
  activity: Activity,
): OpenContext {
  const closers: (() => Promise<void>)[] = [];
  const openSettings = once(() => readSettings(processEnvironment, options));
  const format = once(async () => {
    if (options.jq !== undefined) return 'json';
    return options.output ?? outputSetting(await openSettings()) ?? 'table';
  });
  let progress: Progress | undefined;
  const stdout = sharedTerminal(processEnvironment.io.stdout, () => progress);
  const io = { ...processEnvironment.io, stdout, stderr: talkIn(processEnvironment) };
  const say = (text: string) => progress?.say(text) ?? io.stderr.write(text);
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
    settings: once(async () => (await openSettings()).complete()),
    format,
    client: once(async () => {
      // An expression that does not compile ends the run before anything is sent.
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
      if (!options.quiet) await say(`${safeText(text)}\n`);
    },
    warn: (text) => say(`warning: ${safeText(text)}\n`),
    confirm: async (question, about = 'service') => {
      if (options.yes) return;
      const [{ confirm }, { targetName }] = await Promise.all([
        import('../terminal/prompts.ts'),
        import('../call/protection.ts'),
      ]);
      await confirm(context, about === 'service' ? `${question} (${await targetName(context)})` : question);
    },
    ask: async (question) => (await import('../terminal/prompts.ts')).ask(context, question),
    asker: once(async () => (await import('../terminal/open-asker.ts')).openAsker(processEnvironment)),
    askSecret: async (question) => (await import('../terminal/prompts.ts')).askSecret(context, question),
  };
  return {
    context,
    close: async () => {
      await progress?.end();
      for (const close of closers) await close();
    },
  };
}

/** Talk in signs that the terminal shows. */
function talkIn({ io: { stderr }, environment }: ProcessEnvironment): Sink {
  return writtenBy(stderr, (text) =>
    stderr.write(typeof text === 'string' ? shownText(text, stderr, environment) : text),
  );
}

async function readSettings(processEnvironment: ProcessEnvironment, options: GlobalOptions): Promise<OpenSettings> {
  const { resolveOpenSettings } = await import('../../profiles/resolve.ts');
  const flags = { ...given('profile', options.profile), ...given('baseUrl', options.baseUrl) };
  return resolveOpenSettings({ ...processEnvironment, flags });
}

function outputSetting({ output }: OpenSettings): Format | undefined {
  return output && formatOf(output.value, output.source);
}

async function openProgress({ io, clock, environment, options }: Context, isInLine: () => boolean) {
  const { createProgress } = await import('../../output/progress.ts');
  const style = progressStyle({ io, environment, options });
  return createProgress(io.stderr, clock, style, { isInLine, signs: signsFor({ environment }) });
}

async function openFilter({ options, signal }: Context): Promise<Filter | undefined> {
  if (options.jq === undefined) return undefined;
  return (await import('../../output/jq.ts')).openFilter(options.jq, signal);
}

async function openPrinter(context: Context, format: Format, filter?: Filter): Promise<Printer> {
  const { io, options, environment } = context;
  const { createPrinter } = await import('../../output/printer.ts');
  const { headers, quiet, showSecrets } = options;
  const color = wantsColor(options.color, io.stdout, environment);
  return createPrinter(io.stdout, {
    ...{ format, headers, quiet, showSecrets, color, look: lookFor(context, options) },
    warn: context.warn,
    ...given('fields', options.fields),
    ...given('filter', filter?.apply),
  });
}

/** The flag decides, then FORCE_COLOR, then NO_COLOR, then whether anyone looks. */
export function wantsColor(flag: GlobalOptions['color'], sink: Sink, environment: Environment): boolean {
  if (flag !== 'auto') return flag === 'always';
  const forced = environment['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  if (environment['NO_COLOR'] || environment['TERM'] === 'dumb') return false;
  return sink.isTerminal;
}
