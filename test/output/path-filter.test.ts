import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openJqFilter } from '../../src/output/jq.ts';
import { compilePaths } from '../../src/output/path-filter.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { anyJson, anyText } from './arbitraries.ts';

const ids = '[{"id":"a","tags":["x","y"]},{"id":"b\\n\\u0000","tags":[]}]';

it.each([
  { expression: '.[].id', json: ids, text: 'a\nb\n\0\n' },
  { expression: '.[] | .tags[]', json: ids, text: 'x\ny\n' },
  { expression: '.[1].[0]', json: '[null,["",true]]', text: '\n' },
  { expression: '.[].tags.[9]', json: ids, text: 'null\nnull\n' },
  { expression: '.a.b', json: '{"a":null}', text: 'null\n' },
  { expression: '.__proto__.and', json: '{"__proto__":{"and":false}}', text: 'false\n' },
  { expression: '.toString', json: '{}', text: 'null\n' },
  { expression: '.[]', json: '[]', text: '' },
])('$expression of $json is evaluated without jq', async ({ expression, json, text }) => {
  expect(compilePaths(expression)?.(json)).toBe(text);
  expect(await (await openJqFilter(expression))(json)).toBe(text);
});

it.each([
  '.a | [0]',
  '.a?',
  '..',
  '.',
  '.[-1]',
  '.[01]',
  '.a b',
  '.é',
  '.["a"]',
  '.a | . | .b',
  '[0]',
  'a',
  '.[0',
  '',
])('the expression %o is left to jq', (expression) => {
  expect(compilePaths(expression)).toBeUndefined();
});

it.each([
  { expression: '.a', json: '{"a":1.0}' },
  { expression: '.[]', json: '{"b":"x","1":"y"}' },
  { expression: '.a', json: '{"a":["x"]}' },
  { expression: '.a', json: '["x"]' },
  { expression: '.a', json: '{"a":"x","b":"\\ud800"}' },
  { expression: '.a', json: '{"a":"x"}{"a":"y"}' },
])('$json is left to jq for $expression', ({ expression, json }) => {
  expect(compilePaths(expression)?.(json)).toBeUndefined();
});

const name = fc.constantFrom('a', 'id', 'if', 'and', '__proto__', 'constructor', 'no', '_9');
const step = fc.oneof(
  name.map((field) => `.${field}`),
  fc.constantFrom('[]', '[0]', '[1]', '.[]', '.[2]'),
  fc.constantFrom(' | .', '|.', ' |\n.').chain((pipe) => name.map((field) => pipe + field)),
);
const pathOf = fc
  .tuple(
    fc.constantFrom('.[]', '.[0]', '.a', '.id', '.__proto__'),
    fc.array(step, { maxLength: 3 }),
  )
  .map(([first, rest]) => [first, ...rest].join(''));
const leaf = fc.oneof(
  anyText,
  fc.boolean(),
  fc.constant(null),
  fc.string({ unit: fc.constantFrom('\ud800', '\udc00', 'a') }),
);
/** Nested objects and arrays whose fields the paths name. */
const anyRecords = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(name, tie('value')), { maxLength: 4 })
      .map((fields) => Object.fromEntries(fields)),
  ),
})).value;

it('a path selects the same text as jq', SLOW, async () => {
  let selected = 0;
  const values = fc.array(fc.tuple(fc.oneof(anyRecords, anyJson), fc.boolean()), {
    minLength: 6,
    maxLength: 6,
  });
  const property = fc.asyncProperty(pathOf, values, async (path, inputs) => {
    const select = compilePaths(path);
    const filter = await openJqFilter(path);
    for (const [value, isIndented] of inputs) {
      const json = JSON.stringify(value, null, isIndented ? 2 : 0);
      const text = select?.(json);
      // Without an output, jq decides about errors and the format.
      if (text === undefined) continue;
      selected += 1;
      expect(text).toBe(await filter(json));
    }
  });
  await fc.assert(property, { numRuns: repeats(30) });
  expect(selected).toBeGreaterThan(repeats(10));
});
