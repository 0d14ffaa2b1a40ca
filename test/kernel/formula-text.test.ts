import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { neutralizeFormula, restoreFormula } from '../../src/kernel/formula-text.ts';

const text = fc.oneof(
  fc.string(),
  fc
    .array(
      fc.constantFrom(
        "'",
        ' ',
        '=',
        '+',
        '-',
        '@',
        '\t',
        '\r',
        '＝',
        '＋',
        '－',
        '＠',
        '|',
        '%',
        'a',
        '"',
      ),
      {
        maxLength: 5,
      },
    )
    .map((marks) => marks.join('')),
);

describe('neutralizeFormula', () => {
  it('is reversed by restoreFormula', () => {
    fc.assert(
      fc.property(text, (given) => {
        const cell = neutralizeFormula(given);
        expect(restoreFormula(cell)).toBe(given);
        for (const part of [cell, ...cell.split(/[;\t\r\n]/)])
          expect(part).not.toMatch(/^ *[=+\-@|%＝＋－＠]/);
        expect(cell).not.toMatch(/^[\t\r]/);
      }),
    );
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a\t@x', "a\t'@x"],
    ['a\n-1', "a\n'-1"],
    ['|calc', "'|calc"],
    ['%0A', "'%0A"],
    ['＝1+1', "'＝1+1"],
    ['\r=1', "'\r'=1"],
    ['+49 30 1', "'+49 30 1"],
    ["a;'=1", "a;''=1"],
    ['\t=1', "'\t'=1"],
    ['a\t\tb', 'a\t\tb'],
    ['1,-2', '1,-2'],
    [' =1+1', "' =1+1"],
    ['\u00a0@x', "'\u00a0@x"],
    ["' -1", "'' -1"],
    ['a; =1', "a;' =1"],
  ])('writes %j as %j', (given, cell) => expect(neutralizeFormula(given)).toBe(cell));

  it.each(["'", "'a", "''", "'tis", "a'-b", '', "' a"])('leaves %j unchanged', (cell) => {
    expect([neutralizeFormula(cell), restoreFormula(cell)]).toEqual([cell, cell]);
  });
});
