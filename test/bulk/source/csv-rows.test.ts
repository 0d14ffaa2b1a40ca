import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvRowParser } from '../../../src/bulk/source/csv-rows.ts';
import { InputError } from '../../../src/bulk/source/source.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';

/** The rows of a text that comes in chunks, and why they end early if they do. */
function rowsOf(text: string, size: number): readonly unknown[] {
  const rows: unknown[] = [];
  const parser = new CsvRowParser('t.csv', (...row) => rows.push(row));
  try {
    for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
    parser.end();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    rows.push(error.message);
  }
  return rows;
}

const MARKS = fc.constantFrom(
  'a',
  '"',
  '""',
  ',',
  '\n',
  '\r\n',
  '\r',
  ' ',
  'b c',
  '"x"',
  '"y\nz"',
  ';',
);

describe('rows of CSV', () => {
  it('are the same for any chunk boundaries', SLOW, () => {
    fc.assert(
      fc.property(
        fc.array(MARKS, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        (marks, size) => {
          const text = `h1,h2\n${marks.join('')}`;
          expect(rowsOf(text, size)).toEqual(rowsOf(text, text.length));
        },
      ),
      { numRuns: repeats(750) },
    );
  });

  it('are returned before the error in the next row', () => {
    expect(rowsOf('a,b\n1,"2"\n3,"4"5\n', 100)).toEqual([
      [['a', 'b'], 'a,b', 1],
      [['1', '2'], '1,"2"', 2],
      't.csv:3:3: text after a closing quote',
    ]);
  });
});
