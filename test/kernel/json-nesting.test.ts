import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureJson, nestsDeeperThan } from '../../src/kernel/json-nesting.ts';

/** The nesting depth of a value. */
function levelsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(levelsOf));
}

describe('nestsDeeperThan', () => {
  it('agrees with the depth of the parsed value, whatever its strings contain', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('[[[[', '\\"[[', '"]', '{"a":', '\\'));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        text,
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.nat(8), (given, most) => {
        expect(nestsDeeperThan(most, JSON.stringify(given))).toBe(levelsOf(given) > most);
      }),
    );
  });

  it.each([
    ['brackets that are never closed', '['.repeat(5_000_000), true],
    ['brackets beside each other', `[${'[],'.repeat(1_000)}[]]`, false],
    ['brackets in a text', JSON.stringify('['.repeat(1_000)), false],
  ])('%s', (_, json, tooDeep) => {
    expect(nestsDeeperThan(100, json)).toBe(tooDeep);
  });
});

describe('measureJson', () => {
  it.each([
    ['[{},{}]', 7],
    ['{"a,b:{}":[1]}', 5],
    ['"[]{},:"', 0],
  ])('counts each bracket, comma, and colon of %s', (json, tokens) => {
    expect(measureJson(json).tokens).toBe(tokens);
  });
});
