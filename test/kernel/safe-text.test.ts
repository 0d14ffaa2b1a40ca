import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeForTerminal, escapeJsonForTerminal } from '../../src/kernel/safe-text.ts';
import { codePoint } from '../code-point.ts';

const UNSAFE = [
  '\u0000',
  '\u0007',
  '\b',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u009b',
  '\u00ad',
  '\u061c',
  '\u200b',
  '\u200e',
  '\u2028',
  '\u202e',
  '\u2060',
  '\u2066',
  '\ufeff',
  '\u{e0041}',
  '\ud800',
  '\udc00',
];

describe('escapeForTerminal', () => {
  it('preserves ordinary text in any script', () => {
    for (const text of ['plain', 'é 文書 한국어 नमस्ते', '👩‍👩‍👧 🪐 🇯🇵'])
      expect(escapeForTerminal(text)).toBe(text);
  });

  it('escapes line breaks and tabs as in source code', () => {
    expect(escapeForTerminal('a\r\nb\tc')).toBe('a\\r\\nb\\tc');
  });

  it.each(UNSAFE)('escapes %j', (character) => {
    expect(escapeForTerminal(`a${character}b`)).toMatch(/^a\\u([0-9a-f]{4}|\{[0-9a-f]+\})b$/);
  });

  it('preserves joiners in emoji and Indic scripts, and escapes all others', () => {
    for (const text of ['👩‍👩‍👧', '🏳️‍🌈', '👩🏽‍💻', 'क्‍ष', '葛\u{e0100}'])
      expect(escapeForTerminal(text)).toBe(text);
    expect(escapeForTerminal('ad\u200dmin')).toBe('ad\\u200dmin');
    expect(escapeForTerminal('👩\u200d')).toBe('👩\\u200d');
  });
});

/** Arbitrary text with many unsafe characters. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(...UNSAFE, '\n', '\u200d', '👩', '\u094d'),
    fc.string({ unit: codePoint, maxLength: 1 }),
  ),
});

/** Ranges from the Unicode charts, independent of the code under test. */
const NEVER_RAW: readonly (readonly [number, number])[] = [
  ...([
    [0x00, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x34f, 0x34f],
    [0x61c, 0x61c],
  ] as const),
  ...([
    [0x115f, 0x1160],
    [0x180b, 0x180f],
    [0x200b, 0x200c],
    [0x200e, 0x200f],
    [0x2028, 0x202e],
  ] as const),
  ...([
    [0x2060, 0x206f],
    [0x3164, 0x3164],
    [0xd800, 0xdfff],
    [0xfeff, 0xfeff],
    [0xfff9, 0xfffb],
  ] as const),
  ...([
    [0x1d173, 0x1d17a],
    [0xe0000, 0xe007f],
  ] as const),
];

const isRaw = (character: string) => {
  const code = character.codePointAt(0) ?? 0;
  return NEVER_RAW.some(([first, last]) => code >= first && code <= last);
};

describe('escapeForTerminal, for any text', () => {
  it('returns no character that affects a terminal', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect([...escapeForTerminal(text)].filter(isRaw)).toEqual([]);
      }),
    );
  });

  it('is idempotent, and makes the text at most ten times as long', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const safe = escapeForTerminal(text);
        expect(escapeForTerminal(safe)).toBe(safe);
        expect(safe.length).toBeLessThanOrEqual(10 * text.length);
      }),
    );
  });

  it('is reversible', () => {
    const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
    fc.assert(
      fc.property(hostile, (text) => {
        fc.pre(!text.includes('\\'));
        const back = escapeForTerminal(text).replace(
          /\\(?:([nrt])|u([0-9a-f]{4})|u\{([0-9a-f]+)\})/g,
          (_, name, four, more) =>
            name ? (named[name] ?? '') : String.fromCodePoint(Number.parseInt(four ?? more, 16)),
        );
        expect(back).toBe(text);
      }),
    );
  });
});

describe('escapeJsonForTerminal', () => {
  it('parses back to the same text, without characters that affect a terminal', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = escapeJsonForTerminal(JSON.stringify([text]));
        expect(JSON.parse(json)).toEqual([text]);
        expect([...json].filter(isRaw)).toEqual([]);
      }),
    );
  });

  it.each(UNSAFE)('escapes %j so that a parser restores it', (character) => {
    const json = escapeJsonForTerminal(JSON.stringify({ [character]: character }));
    expect(escapeForTerminal(json)).toBe(json);
    expect(JSON.parse(json)).toEqual({ [character]: character });
  });

  it('preserves the lines of a document', () => {
    const json = JSON.stringify({ a: ['x', 'y'] }, null, 2);
    expect(escapeJsonForTerminal(json)).toBe(json);
  });
});
