import { Chalk } from 'chalk';
import type { Environment } from '../../kernel/folders.ts';
import type { View } from '../../output/renderer.ts';
import { canUseSymbols } from './terminal.ts';

export type CheckState = 'ok' | 'info' | 'warn' | 'fail' | 'skipped';
const SYMBOLS: Readonly<Record<CheckState, string>> = {
  ok: '✓',
  info: '•',
  warn: '!',
  fail: '✗',
  skipped: '–',
};

export function createMarks({ isTerminal, color }: View, environment: Environment) {
  const usesSymbols = isTerminal && canUseSymbols({ environment });
  const chalk = new Chalk({ level: color ? 1 : 0 });
  const colorizers = {
    ok: chalk.green,
    info: chalk.cyan,
    warn: chalk.yellow,
    fail: chalk.red,
    skipped: chalk.dim,
  };
  return {
    /** Returns the symbol or word for a state, padded to a common width. */
    mark: (state: CheckState) => (usesSymbols ? SYMBOLS[state] : state.padEnd('skipped'.length)),
    colorize: (state: CheckState, text: string) => colorizers[state](text),
  };
}
