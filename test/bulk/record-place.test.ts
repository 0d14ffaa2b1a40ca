import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameOfAll, placesIn } from '../../src/bulk/record-place.ts';

describe('the place of a record', () => {
  it('names the file that holds its position, files without records among them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { minLength: 2, maxLength: 9 }), (counts) => {
        const held = counts.flatMap((count, file) => Array.from({ length: count }, () => `f${file}`));
        const firsts = counts.map((_, file) => counts.slice(0, file).reduce((sum, count) => sum + count, 0));
        const place = placesIn(firsts.map((first, file) => ({ name: `f${file}`, first })));
        expect(held.map((_, at) => place(at, 7))).toEqual(held.map((file) => ({ file, line: 7 })));
      }),
    );
  });

  it('is the line alone where there is one file', () => {
    const place = placesIn([{ name: 'a.json', first: 0 }]);
    expect([place(0, 1), place(9, null)]).toEqual([{ line: 1 }, { line: null }]);
  });
});

describe('the name of several files', () => {
  it('is that of each as long as they are few', () => {
    const names = (count: number) => nameOfAll(Array.from({ length: count }, (_, at) => ({ name: `${at}.csv` })));
    expect([1, 3, 4].map(names)).toEqual(['0.csv', '0.csv, 1.csv, 2.csv', '0.csv and 3 more files']);
  });
});
