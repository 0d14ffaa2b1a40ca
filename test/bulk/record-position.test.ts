import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecordLocator, joinFileNames } from '../../src/bulk/record-position.ts';

describe('the position of a record', () => {
  it('names the file of its index, among files without records', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { minLength: 2, maxLength: 9 }), (counts) => {
        const held = counts.flatMap((count, file) =>
          Array.from({ length: count }, () => `f${file}`),
        );
        const firsts = counts.map((_, file) =>
          counts.slice(0, file).reduce((sum, count) => sum + count, 0),
        );
        const place = createRecordLocator(
          firsts.map((first, file) => ({ name: `f${file}`, first })),
        );
        expect(held.map((_, at) => place(at, 7))).toEqual(held.map((file) => ({ file, line: 7 })));
      }),
    );
  });

  it('is the line alone if there is one file', () => {
    const place = createRecordLocator([{ name: 'a.json', first: 0 }]);
    expect([place(0, 1), place(9, null)]).toEqual([{ line: 1 }, { line: null }]);
  });

  it('is unknown for records that come from --data', () => {
    const place = createRecordLocator([{ name: '--data', first: 0, path: '' }]);
    expect(place(1, 2)).toEqual({ line: null });
  });
});

describe('the name of several files', () => {
  it('lists all of them if there are few', () => {
    const names = (count: number) =>
      joinFileNames(Array.from({ length: count }, (_, at) => ({ name: `${at}.csv` })));
    expect([1, 3, 4].map(names)).toEqual([
      '0.csv',
      '0.csv, 1.csv, 2.csv',
      '0.csv and 3 more files',
    ]);
  });
});
