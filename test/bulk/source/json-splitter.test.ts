import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { chunkSize, read, refusal } from './read-records.ts';

const MARKS = fc.constantFrom(
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '"',
  '\\',
  ' ',
  '\n',
  '\r',
  '1',
  '-',
  'true',
  '"a"',
  '"\\""',
  'é',
);

describe('splitting a JSON array', () => {
  it('returns the same as JSON.parse for any chunk boundaries', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue()),
        fc.constantFrom(0, 3),
        chunkSize,
        async (values, indent, size) => {
          const text = JSON.stringify(values, null, indent);
          const { records } = await read(text, 'json', size);
          expect(records.map(({ value }) => value)).toEqual(JSON.parse(text));
        },
      ),
    );
  });

  it('accepts exactly what JSON.parse accepts', SLOW, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(MARKS, { maxLength: 10 }), chunkSize, async (marks, size) => {
        const text = `[${marks.join('')}]`;
        // Several arrays are read as one.
        fc.pre(!/\]\s*\[/.test(text));
        const expected = parsed(text);
        const actual = await read(text, 'json', size).then(
          ({ records }) => records.map(({ value }) => value),
          () => undefined,
        );
        expect(actual).toEqual(expected);
      }),
      { numRuns: repeats(500) },
    );
  });

  it('rejects an array with a missing element', async () => {
    const text = '[{"userId":"a\\"]","x":[1,{"y":"}"}]},{"userId":"b"}]';
    for (let cut = 0; cut < text.length; cut += 1) {
      const { failure } = await refusal(text.slice(0, cut), 'json', 5);
      expect(failure).toBe('invalid_input');
    }
  });

  it('counts LF, CRLF, and CR as line ends', async () => {
    for (const size of [1, 2, 1000]) {
      const { records } = await read('[\r\n1,\r2,\n\n  3\r\n,\r\r\n4]', 'json', size);
      expect(records.map(({ line, column }) => [line, column])).toEqual([
        [2, 1],
        [3, 1],
        [5, 3],
        [8, 1],
      ]);
    }
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
