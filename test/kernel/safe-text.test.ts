import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { safeJson, safeText } from '../../src/kernel/safe-text.ts';

const UNSAFE = [
  ...['\u0000', '\u0007', '\b', '\u001b', '\u007f', '\u0085', '\u009b', '\u00ad', '\u061c', '\u200b', '\u200e'],
  ...['\u2028', '\u202e', '\u2060', '\u2066', '\ufeff', '\u{e0041}', '\ud800', '\udc00'],
];

describe('safeText', () => {
  it('leaves ordinary text alone, of any script', () => {
    for (const text of ['plain', 'é 文書 한국어 नमस्ते', '👩‍👩‍👧 🪐 🇯🇵']) expect(safeText(text)).toBe(text);
  });

  it('shows line breaks and tabs as they are typed in a program', () => {
    expect(safeText('a\r\nb\tc')).toBe('a\\r\\nb\\tc');
  });

  it.each(UNSAFE)('shows %j as an escape', (character) => {
    expect(safeText(`a${character}b`)).toMatch(/^a\\u([0-9a-f]{4}|\{[0-9a-f]+\})b$/);
  });

  it('gives text that it would leave alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const safe = safeText(text);
        expect(safeText(safe)).toBe(safe);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
        expect(safe).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

describe('safeJson', () => {
  it.each(UNSAFE)('writes %j so that a parser reads it back', (character) => {
    const json = safeJson(JSON.stringify({ [character]: character }));
    expect(safeText(json)).toBe(json);
    expect(JSON.parse(json)).toEqual({ [character]: character });
  });

  it('keeps the lines of a document', () => {
    const json = JSON.stringify({ a: ['x', 'y'] }, null, 2);
    expect(safeJson(json)).toBe(json);
  });
});
