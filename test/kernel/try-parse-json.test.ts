import { describe, expect, it } from 'vitest';
import { tryParseJson } from '../../src/kernel/json.ts';

describe('tryParseJson', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['null', null],
    ['', undefined],
    ['{"a":', undefined],
  ])('%s', (text, value) => {
    expect(tryParseJson(text)).toEqual(value);
  });
});
