import type { ProgressStyle } from '../output/progress.ts';
import type { Context } from './context.ts';

/** Whether somebody is there to answer: never in CI, with `--no-input`, or without a terminal on both sides. */
export function canAsk({ io, options, environment }: Context): boolean {
  return io.stdin.isTerminal && io.stderr.isTerminal && options.input && !environment['CI'];
}

/** A bar where someone watches a terminal that can redraw a line and did not ask for plain text. */
export function progressStyle({
  io,
  environment,
  options,
}: Pick<Context, 'io' | 'environment' | 'options'>): ProgressStyle {
  if (options.quiet) return 'none';
  const plain = environment['ACCESSIBLE'] || environment['TERM'] === 'dumb';
  return io.stderr.isTerminal && !plain ? 'bar' : 'lines';
}
