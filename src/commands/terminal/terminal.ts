import type { Look } from '../../output/look.ts';
import type { ProgressStyle } from '../../output/progress.ts';
import type { Context, GlobalOptions, Surroundings } from '../context.ts';

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

/** How tables look: for people on a terminal, with marks where it can draw them, and as they always did anywhere else. */
export function lookFor({ io, environment, clock }: Surroundings, { time }: GlobalOptions): Look {
  const forPeople = io.stdout.isTerminal;
  // The console of Linux has a font of 256 characters, which are no marks.
  const marks = forPeople && !wantsPlainText({ environment }) && environment['TERM'] !== 'linux';
  return { time, now: clock.now(), forPeople, marks };
}
