import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTextPosition, locateJsonValue } from '../../src/kernel/json-position.ts';

const TEXT = `{
  "a": [1, {"b": "}],"}, null],
  "c\\"d": {"a": -1.5e3}
}`;

test.each([
  [[], '{'],
  [['a'], '[1'],
  [['a', 0], '1,'],
  [['a', 1, 'b'], '"}],"'],
  [['a', 2], 'null'],
  [['c"d', 'a'], '-1.5e3'],
])('the value at %j is found', (path, start) => {
  expect(TEXT.slice(locateJsonValue(TEXT, path))).toMatch(
    new RegExp(`^${start.replace(/[[\]{}.*+?^$|()\\]/g, '\\$&')}`),
  );
});

test('a missing value has the position of the innermost existing one', () => {
  expect(formatTextPosition(TEXT, locateJsonValue(TEXT, ['a', 1, 'x', 'y']))).toBe('2:12');
});

test('every value of a random document is found', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, isIndented) => {
      const text = JSON.stringify(value, null, isIndented ? 2 : 0);
      const check = (inner: unknown, path: (string | number)[]): void => {
        const start = text.slice(locateJsonValue(text, path));
        if (typeof inner !== 'object' || inner === null)
          expect(start.startsWith(JSON.stringify(inner))).toBe(true);
        else
          for (const [key, next] of Object.entries(inner))
            check(next, [...path, Array.isArray(inner) ? Number(key) : key]);
      };
      check(value, []);
    }),
  );
});
