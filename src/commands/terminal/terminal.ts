import type { Environment } from '../../kernel/folders.ts';
import type { Sink } from '../../kernel/io.ts';
import type { Look } from '../../output/look.ts';
import type { ProgressStyle } from '../../output/progress.ts';
import { ASCII, DRAWN, inAscii, type Signs } from '../../output/signs.ts';
import type { Context, GlobalOptions, ProcessEnvironment } from '../context.ts';

/** Whether somebody is there to answer: never in CI, with `--no-input`, or without a terminal on both sides. */
export function canAsk({ io, options, environment }: Context): boolean {
  return io.stdin.isTerminal && io.stderr.isTerminal && options.input && !environment['CI'];
}

/** A bar where someone watches a terminal that can redraw a line and did not ask for plain text. */
export function progressStyle(context: Pick<Context, 'io' | 'environment' | 'options'>): ProgressStyle {
  if (context.options.quiet) return 'none';
  return context.io.stderr.isTerminal && !wantsPlainText(context) ? 'bar' : 'lines';
}

/** Whether lines are to stay as they were written: for a screen reader, or a terminal that can't move its cursor. */
export function wantsPlainText({ environment }: Pick<Context, 'environment'>): boolean {
  return Boolean(environment['ACCESSIBLE']) || environment['TERM'] === 'dumb';
}

/**
 * Whether a terminal shows more than ASCII. The console of Linux has a font of 256 characters, and a locale says which
 * characters there are; where none is set, nobody objected.
 */
export function drawsSigns({ environment }: Pick<Context, 'environment'>): boolean {
  const locale = environment['LC_ALL'] || environment['LC_CTYPE'] || environment['LANG'];
  return environment['TERM'] !== 'linux' && (!locale || /utf-?8/i.test(locale));
}

/** Whether signs may stand for words: the terminal shows them, and nobody asked for words. */
export function wantsMarks(context: Pick<Context, 'environment'>): boolean {
  return drawsSigns(context) && !wantsPlainText(context);
}

/** What a sink that may be a terminal is drawn on with. */
export function signsFor(context: Pick<Context, 'environment'>): Signs {
  return drawsSigns(context) ? DRAWN : ASCII;
}

/** A text of ours as a sink shows it: in ASCII on a terminal that knows nothing else. */
export function shownText(text: string, { isTerminal }: Pick<Sink, 'isTerminal'>, environment: Environment): string {
  return isTerminal && !drawsSigns({ environment }) ? inAscii(text) : text;
}

/** How tables look: for people on a terminal, with marks where it can draw them, and as they always did anywhere else. */
export function lookFor({ io, environment, clock }: ProcessEnvironment, { time }: GlobalOptions): Look {
  const forPeople = io.stdout.isTerminal;
  const marks = forPeople && wantsMarks({ environment });
  return { time, now: clock.now(), forPeople, marks, signs: signsFor({ environment }) };
}
