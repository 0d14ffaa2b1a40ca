import { describe, expect, it } from 'vitest';
import { jsonOrText, jsonValue } from '../../src/kernel/json-value.ts';

describe('the value of a text', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['null', null],
    ['', undefined],
    ['{"a":', undefined],
  ])('%s', (text, value) => {
    expect(jsonValue(text)).toEqual(value);
  });

  it('or the text, where it is no JSON: null is some', () => {
    expect(['null', 'nil', '7'].map(jsonOrText)).toEqual([null, 'nil', 7]);
  });
});
