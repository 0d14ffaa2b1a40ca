import type { Environment } from '../../kernel/folders.ts';
import { colorize, type Style } from '../../output/palette.ts';
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

const STYLES: Readonly<Record<CheckState, Style>> = {
  ok: colorize('green'),
  info: colorize('cyan'),
  warn: colorize('yellow'),
  fail: colorize('red'),
  skipped: colorize('dim'),
};

export function createMarks({ isTerminal, color }: View, environment: Environment) {
  const usesSymbols = isTerminal && canUseSymbols({ environment });
  return {
    /** Returns the symbol or word for a state, padded to a common width. */
    mark: (state: CheckState) => (usesSymbols ? SYMBOLS[state] : state.padEnd('skipped'.length)),
    colorize: (state: CheckState, text: string) => (color ? STYLES[state](text) : text),
  };
}
