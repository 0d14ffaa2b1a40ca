import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { escapeForTerminal } from '../../src/kernel/safe-text.ts';
import { wordsOf, wrap, wrapWords } from '../../src/output/wrap.ts';
import { anyText } from './arbitraries.ts';

const width = fc.integer({ min: 4, max: 60 });
const text = anyText.map(escapeForTerminal);

describe('a wrapped text', () => {
  it('breaks between words, and truncates a word, path, or URL that is longer than a line', () => {
    expect(wrap('a plan for next year', 10, stringWidth, 9)).toEqual(['a plan for', 'next year']);
    expect(wrap('see https://example.com/a/path now', 20, stringWidth, 9)).toEqual([
      'see',
      'https://example.com…',
      'now',
    ]);
    expect(wrap('x'.repeat(25), 10, stringWidth, 9)).toEqual([`${'x'.repeat(9)}…`]);
  });

  it('breaks next to any character of a script without spaces, but not before its marks', () => {
    expect(wrap('四半期計画の設計書', 8, stringWidth, 9)).toEqual(['四半期計', '画の設計', '書']);
    expect(wrap('Q3 plan四半期計画', 8, stringWidth, 9)).toEqual(['Q3 plan', '四半期計', '画']);
    expect(wrap('か\u3099'.repeat(4), 4, stringWidth, 9)).toEqual([
      'か\u3099'.repeat(2),
      'か\u3099'.repeat(2),
    ]);
  });

  it('keeps whitespace other than spaces, which may be part of a value to copy', () => {
    expect(wrap('ab\u3000cd', 4, stringWidth, 9)).toEqual(['ab\u3000', 'cd']);
    expect(wrap('abcd\u3000e', 4, stringWidth, 9)).toEqual(['abcd', '\u3000e']);
  });

  it('ends with an ellipsis if there are too few lines', () => {
    expect(wrap('one two three four', 5, stringWidth, 2)).toEqual(['one', 'two …']);
    expect(wrap('', 5, stringWidth, 2)).toEqual(['']);
    expect(wrap('    !', 4, stringWidth, 9)).toEqual(['!']);
    // A character with a combining mark.
    expect(wrap('か\u3099ㄅ!', 4, stringWidth, 9)).toEqual(['か\u3099', 'ㄅ!']);
  });

  it('is never wider than the limit, and truncates no word that fits on a line', () => {
    fc.assert(
      fc.property(text, width, (given, most) => {
        const lines = wrap(given, most, stringWidth, Number.POSITIVE_INFINITY);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(most);
        if (wordsOf(given).some((word) => stringWidth(word) > most)) return;
        expect(lines.join('').replaceAll(' ', '')).toBe(given.replaceAll(' ', ''));
      }),
    );
  });
});

describe('a text wrapped by words', () => {
  it.each([1, 0, -2])('ends for a column that the margins leave %s wide', (most) => {
    expect(wrapWords('one two', most, stringWidth)).toEqual(['one', 'two']);
    expect(wrapWords('漢字', most, stringWidth, true).join('')).toBe('漢字');
  });

  it('keeps each word whole', () => {
    expect(wrapWords('see https://example.com/a/path now', 12, stringWidth)).toEqual([
      'see',
      'https://example.com/a/path',
      'now',
    ]);
    fc.assert(
      fc.property(text, width, (given, most) => {
        const words = (all: string) => all.split(' ').filter((word) => word !== '');
        const lines = wrapWords(given, most, stringWidth);
        expect(words(lines.join(' '))).toEqual(words(given));
        for (const line of lines.filter((one) => words(one).length > 1))
          expect(stringWidth(line)).toBeLessThanOrEqual(most);
      }),
    );
  });
});
