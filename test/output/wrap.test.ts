import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { escapeForTerminal } from '../../src/kernel/safe-text.ts';
import { wrap, wrapWords } from '../../src/output/wrap.ts';
import { anyText } from './arbitraries.ts';

const width = fc.integer({ min: 4, max: 60 });
const text = anyText.map(escapeForTerminal);

describe('a wrapped text', () => {
  it('breaks between words, otherwise after a part of a URL, otherwise at the width', () => {
    expect(wrap('a plan for next year', 10, stringWidth, 9)).toEqual(['a plan for', 'next year']);
    expect(wrap('https://example.com/a/path', 20, stringWidth, 9)).toEqual(['https://example.com/', 'a/path']);
    expect(wrap('x'.repeat(25), 10, stringWidth, 9)).toEqual(['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)]);
    expect(wrap('四半期計画の設計書', 8, stringWidth, 9)).toEqual(['四半期計', '画の設計', '書']);
  });

  it('keeps whitespace other than spaces, which may be part of a value to copy', () => {
    expect(wrap('ab\u3000cd', 4, stringWidth, 9)).toEqual(['ab\u3000', 'cd']);
    expect(wrap('abcd\u3000e', 4, stringWidth, 9)).toEqual(['abcd', '\u3000e']);
  });

  it('ends with an ellipsis if there are too few lines', () => {
    expect(wrap('one two three four', 5, stringWidth, 2)).toEqual(['one', 'two …']);
    expect(wrap('', 5, stringWidth, 2)).toEqual(['']);
  });

  it('is never wider than the limit, and loses nothing but blanks', () => {
    fc.assert(
      fc.property(text, width, (given, most) => {
        const lines = wrap(given, most, stringWidth, Number.POSITIVE_INFINITY);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(most);
        expect(lines.join('').replaceAll(' ', '')).toBe(given.replaceAll(' ', ''));
      }),
    );
  });
});

describe('a text wrapped by words', () => {
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
