import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { neutralizeFormula, restoreFormula } from '../../src/kernel/formula-text.ts';

const text = fc.oneof(
  fc.string(),
  fc
    .array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠', 'a', '"'), {
      maxLength: 5,
    })
    .map((marks) => marks.join('')),
);

describe('neutralizeFormula', () => {
  it('is reversed by restoreFormula', () => {
    fc.assert(
      fc.property(text, (given) => {
        const cell = neutralizeFormula(given);
        expect(restoreFormula(cell)).toBe(given);
        expect(cell).not.toMatch(/^[=+\-@\t\r＝＋－＠]/);
      }),
    );
  });

  it.each(["'", "'a", "''", "'tis", "a'-b", '', "' -1"])('leaves %j unchanged', (cell) => {
    expect([neutralizeFormula(cell), restoreFormula(cell)]).toEqual([cell, cell]);
  });
});
