import { type Hint, hint } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import type { Sink } from '../../kernel/io.ts';
import { isSwitchedOn } from '../../kernel/log-commands.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import type { DisplayOptions } from '../../output/display-options.ts';
import { ASCII_GLYPHS, type Glyphs, toAscii, UNICODE_GLYPHS } from '../../output/glyphs.ts';
import type { ProgressStyle } from '../../output/progress.ts';
import type { CommandEnvironment, GlobalOptions, ProcessEnvironment } from '../context.ts';
import type { Prompter, PrompterDependencies } from '../prompter.ts';

/** The environment variables of a command. */
type Variables = Pick<ProcessEnvironment, 'environment'>;

export function canAsk({ io, options, environment }: CommandEnvironment): boolean {
  return io.stdin.isTerminal && io.stderr.isTerminal && options.input && !isInCi({ environment });
}

/** Whether `CI` says that no person reads the output. */
export function isInCi({ environment }: Variables): boolean {
  return isSwitchedOn(environment['CI']);
}

/** Adds to the hint of a refusal that `CI` is the reason why svc does not ask. */
export function withCiReason(context: Variables, advice: string | Hint): Hint {
  return isInCi(context) ? hint`svc never asks while CI is set; ${advice}` : hint`${advice}`;
}

/** Says in the message of a refusal, after its reason, that svc does not ask because of `CI`. */
export function becauseOfCi(context: Variables): string {
  return isInCi(context) ? ', and svc never asks while CI is set' : '';
}

/**
 * Whether messages are lines of JSON, like errors. The settings have no influence: a message may be
 * about them.
 */
export function usesJsonMessages({
  options: { output, plainMessages },
  environment,
}: Pick<CommandEnvironment, 'environment' | 'options'>): boolean {
  const format = output ?? environment[SETTING_VARIABLES.output];
  return !plainMessages && (format === 'json' || format === 'ndjson');
}

export function progressStyle(
  context: Pick<CommandEnvironment, 'io' | 'environment' | 'options'>,
): ProgressStyle {
  if (context.options.quiet || usesJsonMessages(context)) return 'none';
  return context.io.stderr.isTerminal && !prefersPlainText(context) ? 'bar' : 'lines';
}

export function prefersPlainText({ environment }: Variables): boolean {
  return Boolean(environment['ACCESSIBLE']) || environment['TERM'] === 'dumb';
}

/** Whether the terminal shows Unicode, as it does if no locale is set. The Linux console does not. */
export function supportsUnicode({ environment }: Variables): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'];
  return environment['TERM'] !== 'linux' && (!locale || /utf-?8/i.test(locale));
}

export function canUseSymbols(context: Variables): boolean {
  return supportsUnicode(context) && !prefersPlainText(context);
}

export function selectGlyphs(context: Variables): Glyphs {
  return supportsUnicode(context) ? UNICODE_GLYPHS : ASCII_GLYPHS;
}

export function toTerminalText(
  text: string,
  { isTerminal }: Pick<Sink, 'isTerminal'>,
  environment: Environment,
): string {
  return isTerminal && !supportsUnicode({ environment }) ? toAscii(text) : text;
}

export function createDisplayOptions(
  { io, environment, clock }: ProcessEnvironment,
  { time }: GlobalOptions,
): DisplayOptions {
  const isTerminal = io.stdout.isTerminal;
  const marks = isTerminal && canUseSymbols({ environment });
  return {
    time,
    now: clock.now(),
    isInteractive: isTerminal,
    useMarks: marks,
    glyphs: selectGlyphs({ environment }),
  };
}

/**
 * Whether to use color. Order of precedence: flag, FORCE_COLOR, NO_COLOR, and whether the sink is a
 * terminal.
 */
export function shouldUseColor(
  flag: GlobalOptions['color'],
  sink: Sink,
  environment: Environment,
): boolean {
  if (flag !== 'auto') return flag === 'always';
  const forced = environment['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  if (environment['NO_COLOR'] || environment['TERM'] === 'dumb') return false;
  return sink.isTerminal;
}

/**
 * Opens an interactive prompter if the terminal can show symbols, or a plain one otherwise. Check
 * `canAsk` first.
 */
export async function openPrompter(dependencies: PrompterDependencies): Promise<Prompter> {
  if (canUseSymbols(dependencies))
    return (await import('./interactive-prompter.ts')).createInteractivePrompter(dependencies);
  return (await import('./plain-prompter.ts')).createPlainPrompter(dependencies);
}
