import type { Environment } from '../../kernel/folders.ts';
import type { Sink } from '../../kernel/io.ts';
import type { DisplayOptions } from '../../output/display-options.ts';
import { ASCII_GLYPHS, type Glyphs, toAscii, UNICODE_GLYPHS } from '../../output/glyphs.ts';
import type { ProgressStyle } from '../../output/progress.ts';
import type { Context, GlobalOptions, ProcessEnvironment } from '../context.ts';

/** Whether prompts are possible: never in CI, with `--no-input`, or unless stdin and stderr are terminals. */
export function canAsk({ io, options, environment }: Context): boolean {
  return io.stdin.isTerminal && io.stderr.isTerminal && options.input && !environment['CI'];
}

/** Selects the style of progress: a bar on a terminal that can redraw lines, unless the user prefers plain text. */
export function progressStyle(context: Pick<Context, 'io' | 'environment' | 'options'>): ProgressStyle {
  if (context.options.quiet) return 'none';
  return context.io.stderr.isTerminal && !prefersPlainText(context) ? 'bar' : 'lines';
}

/** Whether output must not be redrawn: for a screen reader, or a terminal that can't move its cursor. */
export function prefersPlainText({ environment }: Pick<Context, 'environment'>): boolean {
  return Boolean(environment['ACCESSIBLE']) || environment['TERM'] === 'dumb';
}

/**
 * Whether the terminal can show characters beyond ASCII. The Linux console has only 256 characters; otherwise, the locale
 * decides. Without a locale, Unicode is assumed.
 */
export function supportsUnicode({ environment }: Pick<Context, 'environment'>): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'];
  return environment['TERM'] !== 'linux' && (!locale || /utf-?8/i.test(locale));
}

/** Whether symbols may replace words: the terminal can show them, and the user does not prefer plain text. */
export function canUseSymbols(context: Pick<Context, 'environment'>): boolean {
  return supportsUnicode(context) && !prefersPlainText(context);
}

/** Characters for drawing on the terminal. */
export function signsFor(context: Pick<Context, 'environment'>): Glyphs {
  return supportsUnicode(context) ? UNICODE_GLYPHS : ASCII_GLYPHS;
}

/** Converts text to ASCII for a terminal that supports nothing else. */
export function toTerminalText(
  text: string,
  { isTerminal }: Pick<Sink, 'isTerminal'>,
  environment: Environment,
): string {
  return isTerminal && !supportsUnicode({ environment }) ? toAscii(text) : text;
}

/** Selects the look of tables: for people on a terminal, with symbols if supported, and a stable form for any other output. */
export function lookFor({ io, environment, clock }: ProcessEnvironment, { time }: GlobalOptions): DisplayOptions {
  const forPeople = io.stdout.isTerminal;
  const marks = forPeople && canUseSymbols({ environment });
  return { time, now: clock.now(), isInteractive: forPeople, useMarks: marks, glyphs: signsFor({ environment }) };
}

/** Whether to use color. Precedence: flag, FORCE_COLOR, NO_COLOR, and whether the sink is a terminal. */
export function shouldUseColor(flag: GlobalOptions['color'], sink: Sink, environment: Environment): boolean {
  if (flag !== 'auto') return flag === 'always';
  const forced = environment['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  if (environment['NO_COLOR'] || environment['TERM'] === 'dumb') return false;
  return sink.isTerminal;
}
