import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { escapeForTerminal } from '../../src/kernel/safe-text.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { anyJson } from './arbitraries.ts';
import { pagesOf, printedRecords, printedValue, writes } from './printed.ts';

const VERSIONS = ['1.1', '1.2'] as const;

describe('yaml', () => {
  it('escapes invisible letters', async () => {
    expect(await printedValue('yaml', { a: 'b\u3164' })).toBe('a: "b\\u3164"\n');
  });

  it('leaves unambiguous text plain, and quotes the rest', async () => {
    const value = {
      id: 'd1',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      country: 'no',
      zip: '0123',
      no: true,
      price: 1e21,
      small: 1e-7,
      ratio: 1.5,
      nothing: null,
      list: ['a', { b: [] }],
      empty: {},
    };
    expect(await printedValue('yaml', value)).toBe(`id: d1
name: Ada Lovelace
email: ada@example.com
country: "no"
zip: "0123"
"no": true
price: 1.0e+21
small: 1.0e-7
ratio: 1.5
nothing: null
list:
  - a
  - b: []
empty: {}
`);
  });

  it('is one list of all pages', async () => {
    const written = await writes('yaml', {}, (printer) =>
      printer.records(pagesOf([{ id: 'a', n: 1 }], [], ['b']), {}),
    );
    expect(written).toEqual(['- id: a\n  "n": 1\n', '- b\n']);
    expect(await printedRecords('yaml', [])).toBe('[]\n');
  });

  it.each([
    'y',
    'Y',
    'n',
    'yes',
    'No',
    'ON',
    'off',
    'true',
    'False',
    'null',
    'NULL',
    '~',
    '',
    ' ',
    '=',
    '<<',
    '-',
    '?',
    ':',
    '0123',
    '0o17',
    '0x1F',
    '1e5',
    '1E+5',
    'E0',
    'e-5',
    'e+5',
    '1_000',
    '.5',
    '+1',
    '-0',
    '1:30',
    '190:20:30',
    '.inf',
    '-.Inf',
    '.NaN',
    '2024-11-15',
    '2024-11-15T21:12:01Z',
    '2024-11-15 21:12:01',
    '!tag',
    '&a',
    '*a',
    '%x',
    '@x',
    '`x',
    '|',
    '>',
    'a: b',
    'a #b',
    'a:',
    '# a',
    '[a',
    '{a',
    'a,b',
    "'a'",
    '"a"',
    ' a',
    'a ',
    'a\tb',
    'a\nb',
    'a\n',
    '---',
    '...',
    '\u0085',
    '\u2028',
    '\ufeff',
    '\u007f',
    '\u009b',
    '\u202e',
    '\ud800',
    '\u0000',
    'é',
    '四半期',
    '👩‍👩‍👧',
  ])('keeps %j text for both versions, as a value, an item, and a key', async (text) => {
    const written = await printedValue('yaml', { value: text, list: [text], [text]: 1 });
    for (const version of VERSIONS) {
      const read = parse(written, { version });
      expect(read).toStrictEqual({ value: text, list: [text], [text]: 1 });
    }
  });

  it('reads back the same under both versions, without unsafe characters', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyJson, { maxLength: 4 }), async (records) => {
        const text = await printedRecords('yaml', records);
        for (const line of text.split('\n')) expect(escapeForTerminal(line)).toBe(line);
        for (const version of VERSIONS)
          expect(JSON.stringify(parse(text, { version }))).toBe(JSON.stringify(records));
      }),
      { numRuns: repeats(150) },
    );
  });
});
