import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { createMeasure, prefixLength } from '../../src/output/width.ts';
import { SLOW } from '../slow.ts';
import { anyText } from './arbitraries.ts';

const NAMES =
  'Zoë Núñez, Łukasz Żółć, Ng Ứng, Ελένη, Юлия, ליאת, ليلى, 山田太郎, さくら, 김민지 – “A” → B… 🌻🎉';
/** Names with combining marks. */
const MARKED = 'नीरज शर्मा, สมชาย, José, Nguyễn, ரஜினி, مُحَمَّد, שָׁלוֹם, ខ្មែរ, မြန်မာ, ක්‍ය'.normalize(
  'NFD',
);
/** No character after this one combines with others and is measured without string-width. */
const LAST_MARK = 0x2100;
const measure = async (text: string) => (await createMeasure([[text]]))(text);

it('measures names of most languages without the tables of string-width', async () => {
  expect(await createMeasure([[NAMES]])).not.toBe(stringWidth);
  expect(await measure(NAMES)).toBe(stringWidth(NAMES));
  for (const name of MARKED.replaceAll('\u200d', '').split(', ')) {
    const measure = await createMeasure([[NAMES], [name]]);
    expect(measure).not.toBe(stringWidth);
    expect([measure(NAMES), measure(name)]).toEqual([stringWidth(NAMES), stringWidth(name)]);
  }
  for (const name of ['👩‍👧', '👍🏽', '❤️', 'क्\u200dष', 'ᄒ', '🌻ी']) {
    expect(await createMeasure([[NAMES], [name]])).toBe(stringWidth);
  }
});

it('measures each character like string-width, alone and beside others', SLOW, async () => {
  const different: string[] = [];
  for (let code = 0x20; code < 0x20000; code += 1) {
    const character = String.fromCodePoint(code);
    const pairs = [`a${character}`, `क${character}ी`, `${character}\u0301`];
    for (const text of [character, ...(code < LAST_MARK ? pairs : [])]) {
      const measure = await createMeasure([[text]]);
      if (measure !== stringWidth && measure(text) !== stringWidth(text))
        different.push(`U+${code.toString(16)} in '${text}'`);
    }
  }
  expect(different).toEqual([]);
});

it('measures texts like string-width', async () => {
  const name = fc.string({ unit: fc.constantFrom(...NAMES, ...MARKED) });
  const mark = fc.integer({ min: 0x300, max: LAST_MARK });
  const marked = fc.string({ unit: mark.map((code) => String.fromCodePoint(code)) });
  await fc.assert(
    fc.asyncProperty(fc.oneof(name, marked, anyText), async (text) => {
      expect(await measure(text)).toBe(stringWidth(text));
    }),
  );
});

it('cuts texts between graphemes, and as late as possible', async () => {
  const segmenter = new Intl.Segmenter();
  const name = fc.string({ unit: fc.constantFrom(...NAMES, ...MARKED) });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(name, fc.string({ unit: 'grapheme' })),
      fc.nat(20),
      async (text, width) => {
        const graphemes = Array.from(segmenter.segment(text), ({ segment }) => segment);
        const starts = graphemes.map((_, count) => graphemes.slice(0, count).join('').length);
        const fitting = [...starts, text.length].filter(
          (length) => stringWidth(text.slice(0, length)) <= width,
        );
        const length = prefixLength(text, width, await createMeasure([[text]]));
        expect(Math.min(length, text.length)).toBe(fitting.at(-1));
      },
    ),
  );
});
