import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { createMeasure, prefixLength } from '../../src/output/width.ts';
import { anyText } from './arbitraries.ts';

const NAMES =
  'Zoë Núñez, Łukasz Żółć, Ng Ứng, Ελένη, Юлия, ליאת, ليلى, 山田太郎, さくら, 김민지 – “A” → B… 🌻🎉';
const measure = async (text: string) => (await createMeasure([[text]]))(text);

it('measures names of most languages without the tables of string-width', async () => {
  expect(await createMeasure([[NAMES]])).not.toBe(stringWidth);
  expect(await measure(NAMES)).toBe(stringWidth(NAMES));
  for (const name of ['👩‍👧', '👍🏽', '❤️', 'नीरज', 'e\u0301']) {
    expect(await createMeasure([[NAMES], [name]])).toBe(stringWidth);
  }
});

it('measures each character like string-width', async () => {
  for (let code = 0x20; code < 0x20000; code += 1) {
    const text = String.fromCodePoint(code);
    const measure = await createMeasure([[text]]);
    if (measure !== stringWidth && measure(text) !== stringWidth(text))
      expect.fail(`U+${code.toString(16)}`);
  }
});

it('measures texts like string-width', async () => {
  const name = fc.string({ unit: fc.constantFrom(...NAMES) });
  await fc.assert(
    fc.asyncProperty(fc.oneof(name, anyText), async (text) => {
      expect(await measure(text)).toBe(stringWidth(text));
    }),
  );
});

it('cuts texts between graphemes, and as late as possible', async () => {
  const segmenter = new Intl.Segmenter();
  const name = fc.string({ unit: fc.constantFrom(...NAMES) });
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
