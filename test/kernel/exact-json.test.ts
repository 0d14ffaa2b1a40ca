import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  exactNumberText,
  parseExactJson,
  parseExactJsonOrText,
} from '../../src/kernel/exact-json.ts';

describe('parseExactJson', () => {
  it.each([
    '12345678901234567890',
    '-0',
    '1.0',
    '1E5',
    '1e999',
    '0.30000000000000004',
    '[1.10,{"a":100000000000000000001}]',
  ])('preserves %s', (text) => {
    expect(JSON.stringify(parseExactJson(text))).toBe(text);
  });

  it('returns an ordinary value if all numbers are ordinary', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(parseExactJson('nothing')).toBeUndefined();
  });

  it('distinguishes preserved numbers from objects', () => {
    expect([1, { rawJSON: '1' }, parseExactJson('1.0')].map(exactNumberText)).toEqual([
      undefined,
      undefined,
      '1.0',
    ]);
  });

  it('parseExactJsonOrText returns a text that is not JSON or is nested too deeply', () => {
    const deep = `${'['.repeat(101)}${']'.repeat(101)}`;
    expect(['null', 'nil', '7', deep].map(parseExactJsonOrText)).toEqual([null, 'nil', 7, deep]);
  });
});
