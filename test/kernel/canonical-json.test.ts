import { expect, it } from 'vitest';
import { formatCanonicalJson } from '../../src/kernel/json.ts';

it('sorts the properties of all objects, and keeps the order of lists', () => {
  expect(
    formatCanonicalJson({
      b: [{ d: 1, c: null }, 2],
      a: { '': 0 },
      ...JSON.parse('{"__proto__":{"z":1,"y":2}}'),
    }),
  ).toBe('{"__proto__":{"y":2,"z":1},"a":{"":0},"b":[{"c":null,"d":1},2]}');
});
