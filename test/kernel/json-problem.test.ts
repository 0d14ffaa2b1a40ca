import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  findJsonProblem,
  locateJsonProblem,
  parseLosslessJson,
} from '../../src/kernel/json-problem.ts';
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

  it('is found before a long text of levels is parsed, which takes much memory', () => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    expect(parseLosslessJson('['.repeat(2_000_000))).toMatchObject({
      problem: { offset: 100, problem: 'nested more than 100 levels deep' },
    });
    expect(parse).not.toHaveBeenCalled();
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
    ['{"a":undefined}', 5, "expected a value, found 'undefined'"],
  ])('is reported for %j', (text, offset, problem) => {
    expect(locateJsonProblem(text)).toMatchObject({ offset, problem });
  });
});

it.each([
  ["{'a':1}", 'JSON requires double quotes'],
  ['{"a":1,}', 'remove the comma before it'],
  ['[1, ]', 'remove the comma before it'],
  ['[1 // x\n]', 'JSON has no comments: remove them'],
  ['[/* x */ 1]', 'JSON has no comments: remove them'],
  ['{"a":None}', 'JSON writes a missing value as null'],
  ['[NaN]', 'JSON writes a missing value as null'],
  ['[True]', 'JSON writes true and false in lower case'],
  ['{a:1}', 'put the names of fields in double quotes'],
  ['[0x10]', undefined],
])('text of another language has a hint: %s', (text, hint) => {
  expect(locateJsonProblem(text)?.hint).toBe(hint);
});

describe('the loss of a JSON text', () => {
  const find = (text: string) => findJsonProblem(JSON.parse(text), text);

  it.each([
    ['{"a":1,"a":2}', 7, "the field 'a' occurs twice in an object"],
    ['{"a":"", "a":""}', 9, "the field 'a' occurs twice in an object"],
    [String.raw`{"a":1,"\u0061":2}`, 7, "the field 'a' occurs twice in an object"],
    ['[{"b":{"c":1,\n"c":1}}]', 14, "the field 'c' occurs twice in an object"],
    ['{"__proto__":1,"__proto__":2}', 15, "the field '__proto__' occurs twice in an object"],
    [String.raw`{"a":"\ud800"}`, 5, /half of a surrogate pair/],
    [String.raw`{"\udc00\ud800":1}`, 1, /half of a surrogate pair/],
    ['{"a":12345678901234567890}', 5, 'the number 12345678901234567890 would lose digits'],
  ])('is found in %s', (text, offset, problem) => {
    const expected = typeof problem === 'string' ? problem : expect.stringMatching(problem);
    expect(find(text)).toMatchObject({ offset, problem: expected });
  });

  it.each([
    '{}',
    '[]',
    '{ "a" : { "b" : [ { "b" : 1e3 }, { "b" : -0 } ] }, "b" : null }',
    String.raw`{"a":"\ud83d\ude00","b":"a\":{"}`,
    '{"a":{"a":1},"b":[{"a":1},{"a":1}]}',
  ])('is not found in %s', (text) => {
    expect(find(text)).toBeUndefined();
  });

  it('is found for exactly the texts with a repeated field', () => {
    const member = fc.tuple(fc.constantFrom('a', 'b', 'c"'), fc.jsonValue({ maxDepth: 1 }));
    fc.assert(
      fc.property(fc.array(member, { maxLength: 4 }), fc.constantFrom('', ' '), (members, gap) => {
        const pairs = members.map(([name, value]) =>
          [name, value].map((part) => JSON.stringify(part)),
        );
        const text = `{${pairs.map((pair) => pair.join(`:${gap}`)).join(',')}}`;
        const isUnique = new Set(members.map(([name]) => name)).size === members.length;
        expect(find(text) === undefined).toBe(isUnique);
      }),
      { numRuns: repeats(500) },
    );
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

it('finds problems after values that are as long as a record may be', () => {
  const number = `{"a":${'1'.repeat(12_000_000)}}`;
  expect(findJsonProblem(JSON.parse(number), number)).toMatchObject({
    offset: 5,
    problem: expect.stringMatching(/^the number 1{400}… would lose digits$/),
  });
  const escapes = `{"a":"${'\\n'.repeat(8_000_000)}","a":1}`;
  expect(findJsonProblem(JSON.parse(escapes), escapes)?.offset).toBe(16_000_008);
  expect(locateJsonProblem(`${escapes}]`)?.offset).toBe(escapes.length);
});
