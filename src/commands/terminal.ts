import type { Context } from './context.ts';

/** Whether somebody is there to answer: never in CI, with `--no-input`, or without a terminal on both sides. */
export function canAsk({ io, options, environment }: Context): boolean {
  return io.stdin.isTerminal && io.stderr.isTerminal && options.input && !environment['CI'];
}
