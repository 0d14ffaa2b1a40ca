import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactJsonOrText, exactJsonValue, exactNumber } from '../../src/kernel/exact-json.ts';

describe('the exact value of a JSON text', () => {
  it.each([
    '12345678901234567890',
    '-0',
    '1.0',
    '1E5',
    '1e999',
    '0.30000000000000004',
    '[1.10,{"a":100000000000000000001}]',
  ])('is written as it was: %s', (text) => {
    expect(JSON.stringify(exactJsonValue(text))).toBe(text);
  });

  it('is the usual one where every number is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(exactJsonValue(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(exactJsonValue('nothing')).toBeUndefined();
  });

  it('tells its numbers from objects', () => {
    expect([1, { rawJSON: '1' }, exactJsonValue('1.0')].map(exactNumber)).toEqual([undefined, undefined, '1.0']);
  });

  it('is the text itself where that is no JSON, or nests too deep', () => {
    const deep = `${'['.repeat(101)}${']'.repeat(101)}`;
    expect(['null', 'nil', '7', deep].map(exactJsonOrText)).toEqual([null, 'nil', 7, deep]);
  });
});
