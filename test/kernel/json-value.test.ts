import { describe, expect, it } from 'vitest';
import { jsonValue } from '../../src/kernel/json-value.ts';

describe('the value of a text', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['null', null],
    ['', undefined],
    ['{"a":', undefined],
  ])('%s', (text, value) => {
    expect(jsonValue(text)).toEqual(value);
  });
});
