import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateJsonProblem } from '../../src/kernel/json-problem.ts';
import { repeats } from '../repeats.ts';

const MARKS = fc.constantFrom(
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '"a"',
  '"\\u12"',
  '1',
  '01',
  '1.',
  'true',
  'nul',
  ' ',
  '\n',
);

describe('the position of a JSON syntax problem', () => {
  it('is found for exactly the texts that JSON.parse rejects', () => {
    fc.assert(
      fc.property(fc.array(MARKS, { maxLength: 8 }), (marks) => {
        const text = marks.join('');
        expect(locateJsonProblem(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: repeats(1_250) },
    );
  });

  it('is at the end of a valid prefix', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), (value, at) => {
        const text = JSON.stringify(value);
        const cut = text.slice(0, at % text.length);
        const offset = locateJsonProblem(cut)?.offset ?? cut.length;
        expect(cut.slice(offset)).toMatch(/^(?:"|-|\w|$)/);
      }),
    );
  });

  it.each([
    ['{"a":1,}', 7, "expected a field name, found '}'"],
    ['{"a" 1}', 5, "expected ':', found '1'"],
    ["{'a':1}", 1, "expected a field name or '}', found '''"],
    ['[1 2]', 3, "expected ',' or the end, found '2'"],
    ['{"a":"x\ny"}', 5, 'the string is not closed, or contains a line break or an invalid escape'],
    ['{"a":', 5, 'unexpected end of the text, expected a value'],
    ['{"a":undefined}', 5, "expected a value, found 'u'"],
  ])('is reported for %j', (text, offset, problem) => {
    expect(locateJsonProblem(text)).toMatchObject({ offset, problem });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
