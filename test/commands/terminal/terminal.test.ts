import { describe, expect, it } from 'vitest';
import {
  canUseSymbols,
  supportsUnicode,
  toTerminalText,
} from '../../../src/commands/terminal/terminal.ts';
import type { Environment } from '../../../src/kernel/folders.ts';

describe('symbols', () => {
  it.each<[Environment, boolean]>([
    [{}, true],
    [{ TERM: 'xterm-256color', LANG: 'en_US.UTF-8' }, true],
    [{ LC_CTYPE: 'UTF-8' }, true],
    [{ LANG: 'de_DE.utf8', LC_ALL: '' }, true],
    [{ TERM: 'linux', LANG: 'C.UTF-8' }, false],
    [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, false],
    [{ LC_ALL: 'POSIX' }, false],
    [{ LC_CTYPE: 'C', LANG: 'en_US.UTF-8' }, false],
    [{ LANG: 'de_DE.ISO-8859-1' }, false],
  ])('are supported in %j: %s', (environment, drawn) => {
    expect(supportsUnicode({ environment })).toBe(drawn);
    expect(canUseSymbols({ environment })).toBe(drawn);
  });

  it('are replaced by words if the user prefers plain text', () => {
    expect(canUseSymbols({ environment: { ACCESSIBLE: '1' } })).toBe(false);
    expect(canUseSymbols({ environment: { TERM: 'dumb' } })).toBe(false);
  });

  it('in text are converted to ASCII only on a terminal without Unicode', () => {
    const [terminal, pipe] = [{ isTerminal: true }, { isTerminal: false }];
    expect(toTerminalText('a → b …é', terminal, { LC_ALL: 'C' })).toBe('a -> b ...é');
    expect(toTerminalText('a → b …', pipe, { LC_ALL: 'C' })).toBe('a → b …');
    expect(toTerminalText('a → b …', terminal, {})).toBe('a → b …');
  });
});
