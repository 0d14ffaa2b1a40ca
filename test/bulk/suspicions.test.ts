import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextSegment } from '../../src/bulk/source/text-segment.ts';
import { findSuspicion, isUnsuspicious } from '../../src/bulk/suspicions.ts';

const TEXT = { isId: false, isEmail: false, isName: false, isIdColumn: false };
const ID = { ...TEXT, isId: true, isIdColumn: true };
const NAME = { ...TEXT, isName: true };

/** Texts that no person types as an ID or a name. */
const NEVER_TYPED = [
  ['undefined', 'null', 'NULL', 'None', 'NaN', 'nil', '<nil>', '(null)', '<NA>', 'N/A', '\\N', '-'],
  ['Ann undefined', 'undefined undefined', 'x-NaN', '[object Object]', 'a [object Promise]'],
  ['function id() { return 1 }', '<__main__.User object at 0x7f12>', '#<User:0x00007f>'],
  ['{{ name }}', 'a {{name}}', '${ID}', '<%= id %>', '%s', '%USERID%'],
  ['#REF!', '#VALUE!', '#NAME?', '#BEZUG!', '#Н/Д', '#NOM ?', 'Err:502', '1.2E+11', '1.2E11'],
  ['.nan', 'NaT', 'Loading...', "@ann'", "-5'", '+4.9E+11'],
  ['1-Mar', 'Jan-24', '#####', '????', 'M&uuml;ller', 'O&#39;Brien', 'M\\u00fcller'],
  [
    'x\u200by',
    'x\ufeffy',
    'x\u2060y',
    'x\u202ey',
    'x\u00ady',
    'x\u0001y',
    'x\u{e0041}y',
    'x\ufffdy',
  ],
].flat();
const NEVER_AN_ID = [
  [
    'Null',
    'true',
    'FALSE',
    'WAHR',
    'none',
    '-Infinity',
    '{}',
    '[]',
    'u-null',
    'u_None',
    '$ID',
    "'u1'",
  ],
  ['3/4/2024', '01.02.2024', '2024-01-02 00:00:00', '01. Mrz', 'mars-24', "'0123", "b'abc'"],
  ["['abc']", "('abc',)", '{"id":"a"}', 'x\u00a0y', 'x\u200dy', 'x\u180ey', 'x\ufe0fy', 'x\ue000y'],
  ['x\u3164y', 'x\tz', '“u1”', '„u1“', '«u1»', '‘u1’', "'u1", '=HYPERLINK("u","u1")', '=A2&"x"'],
  ['１２３', 'ﬁn', 'Zoe\u0308', 'u–1', 'u\u22121', 'o’neil', '\u0430dmin', 'ΑΒΓx'],
  ['Total', 'TOTAL: 5', 'Grand total', 'Gesamtergebnis', 'Summe', 'Total general', '合計', 'Итого'],
  ['(3 rows)', '(1 row)', '12 rows in set (0.00 sec)', '2 row(s) returned', 'Page 1 of 2'],
].flat();
const ORDINARY_IDS = [
  [
    '0123',
    '1e5',
    '1.10',
    'u-1',
    'Mar-1',
    '=1',
    '+49 170 1',
    '-5',
    'NA',
    'Nina',
    '2024-01-02',
    '#1',
  ],
  ['a@b.c', '李', 'Ünal', '3f2504e0-4f89-11d3-9a0c-0305e82c3301', 'n', 'page?id=1', '1.2.3', '{a}'],
  ['totally', 'subtotal-1', '3 rowers', 'Грета', 'ΑΒΓ', 'か\u3099'.normalize('NFC'), '=u1'],
].flat();
const ORDINARY_NAMES = [
  ['Null', 'Jan Null', 'Marco None', 'True', 'NA', 'Ó Briain', "O'Brien", 'Úštěk', 'V Úžlabině'],
  ['می\u200cخواهم', 'क्\u200dष', 'កោះ\u200bកូកូស', '\u200fשלום', 'Le\u00a0Mans', 'ᠮᠣᠩᠭᠣᠯ\u180eᠠ'],
  [
    '👨\u200d👩\u200d👧 Family',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '❤\ufe0f',
    '“Été”',
  ],
  [
    'AT&T',
    'Q&A; notes',
    '100%',
    'Why?',
    '[Draft]',
    '{Team}',
    '3/4/2024',
    'SÃO PAULO',
    'Лі',
    'a < b',
  ],
].flat();

it.each(NEVER_TYPED)('%j is suspicious as an ID and as a name', (text) => {
  expect([findSuspicion(text, ID), findSuspicion(text, NAME)]).not.toContain(undefined);
});

it.each(NEVER_AN_ID)('%j is suspicious as an ID', (text) => {
  expect(findSuspicion(text, ID)).toBeDefined();
});

it.each(ORDINARY_IDS)('%j is an ordinary ID', (text) => {
  expect(findSuspicion(text, ID)?.describe(text)).toBeUndefined();
});

it.each([
  ['１２３', '123'],
  ['u´1', "u'1"],
  ['Zoe\u0308', 'Zoë'],
])('%s is probably %s as an ID', (text, plain) => {
  expect(findSuspicion(text, ID)?.describe(text)).toMatch(`probably '${plain}'`);
});

it.each(['Total', '(3 rows)'])('%j is an ordinary ID outside of tables', (text) => {
  expect(findSuspicion(text, { ...ID, isIdColumn: false })).toBeUndefined();
});

it.each(ORDINARY_NAMES)('%j is an ordinary name', (text) => {
  expect(findSuspicion(text, NAME)?.describe(text)).toBeUndefined();
});

it('names of countries and languages are ordinary in all languages', () => {
  const locales =
    'am ar be bn cs da de el fa fi fr he hi hu ja ka km kn ko lo my ne pl pt ru ta te th tr uk ur vi yi zh';
  for (const locale of locales.split(' '))
    for (const type of ['region', 'language'] as const) {
      const names = new Intl.DisplayNames([locale], { type });
      for (const code of ['fr', 'it', 'cz', 'mk', 'gb', 'hk', 'us', 'za', 'ne', 'sr', 'ci'])
        expect(
          findSuspicion(names.of(type === 'region' ? code.toUpperCase() : code) ?? '', NAME),
        ).toBeUndefined();
    }
});

describe('a text that was UTF-8', () => {
  it.each([
    ['Müller', 'windows-1252'],
    ['日本太郎', 'windows-1252'],
    ['محمد', 'windows-1252'],
    ['Иван', 'windows-1251'],
    ['Müller', 'windows-1251'],
    ['José', 'macintosh'],
    ['Иван', 'macintosh'],
  ])('%s is found after it was decoded as %s', (text, charset) => {
    const decoded = new TextDecoder(charset).decode(new TextEncoder().encode(text));
    expect(findSuspicion(decoded, NAME)?.describe(decoded)).toContain(`probably '${text}'`);
  });

  it.each([
    ['M├╝ller', 'Müller'],
    ['Jos├⌐', 'José'],
    ['Jos├®', 'José'],
    ['╨ÿ╨▓╨░╨╜', 'Иван'],
    ['MÃƒÂ¼ller', 'Müller'],
  ])('%s is probably %s', (decoded, text) => {
    expect(findSuspicion(decoded, NAME)?.describe(decoded)).toContain(`probably '${text}'`);
  });
});

it('the quick check finds nothing unsuspicious that is suspicious', () => {
  const parts = [
    ...[NEVER_TYPED, NEVER_AN_ID, ORDINARY_IDS, ORDINARY_NAMES].flat(),
    ...' -A\n"Ã¼ÇÔРСВéő山',
    'user',
  ];
  const texts = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(texts, fc.constantFrom(ID, NAME, TEXT), (chosen, kind) => {
      const text = chosen.join('');
      if (findSuspicion(text, kind) === undefined) return;
      expect(isUnsuspicious(text, kind, false)).toBe(false);
      if (TextSegment.ofJson('', JSON.stringify([{ a: text }]).slice(1, -1)).isPlain)
        expect(isUnsuspicious(text, kind, true)).toBe(false);
      if (!text.includes('\n') && TextSegment.ofRows('', text).isPlain)
        expect(isUnsuspicious(text, kind, true)).toBe(false);
    }),
    { numRuns: 3_000 },
  );
});
