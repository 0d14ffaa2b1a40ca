import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { shouldUseColor } from '../../../src/commands/terminal/terminal.ts';

const sink = (isTerminal: boolean) => ({
  isTerminal,
  columns: undefined,
  stream: new Writable(),
  write: async () => undefined,
});

describe('color', () => {
  it.each([
    ['a terminal', 'auto', true, {}, true],
    ['a pipe', 'auto', false, {}, false],
    ['NO_COLOR', 'auto', true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', 'auto', true, { NO_COLOR: '' }, true],
    ['FORCE_COLOR on a pipe', 'auto', false, { FORCE_COLOR: '1' }, true],
    ['FORCE_COLOR=0', 'auto', true, { FORCE_COLOR: '0' }, false],
    ['FORCE_COLOR over NO_COLOR', 'auto', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    ['a dumb terminal', 'auto', true, { TERM: 'dumb' }, false],
    ['--color never over FORCE_COLOR', 'never', true, { FORCE_COLOR: '1' }, false],
    ['--color always over NO_COLOR', 'always', false, { NO_COLOR: '1' }, true],
  ] as const)('%s', (_, when, isTerminal, environment, expected) => {
    expect(shouldUseColor(when, sink(isTerminal), environment)).toBe(expected);
  });
});
