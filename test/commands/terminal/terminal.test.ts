import { describe, expect, it } from 'vitest';
import { drawsSigns, shownText, wantsMarks } from '../../../src/commands/terminal/terminal.ts';
import type { Environment } from '../../../src/kernel/folders.ts';

describe('signs', () => {
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
  ])('are drawn in %j: %s', (environment, drawn) => {
    expect(drawsSigns({ environment })).toBe(drawn);
    expect(wantsMarks({ environment })).toBe(drawn);
  });

  it('give way to words where somebody wants words', () => {
    expect(wantsMarks({ environment: { ACCESSIBLE: '1' } })).toBe(false);
    expect(wantsMarks({ environment: { TERM: 'dumb' } })).toBe(false);
  });

  it('of sentences are ASCII on such a terminal, and as they are anywhere else', () => {
    const [terminal, pipe] = [{ isTerminal: true }, { isTerminal: false }];
    expect(shownText('a → b …é', terminal, { LC_ALL: 'C' })).toBe('a -> b ...é');
    expect(shownText('a → b …', pipe, { LC_ALL: 'C' })).toBe('a → b …');
    expect(shownText('a → b …', terminal, {})).toBe('a → b …');
  });
});
