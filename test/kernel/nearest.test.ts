import fc from 'fast-check';
import { distance } from 'fastest-levenshtein';
import { describe, expect, it } from 'vitest';
import { didYouMean, findNearest, findSimilar } from '../../src/kernel/nearest.ts';

const FLAGS = ['--file', '--folder', '--fields', '--document'];

describe('findNearest', () => {
  it.each([
    ['--fiel', '--file'],
    ['--FOLDR', '--folder'],
    ['--documents', '--document'],
    ['--flie', '--file'],
  ])('finds for %s: %s', (typed, meant) => {
    expect(findNearest(typed, FLAGS)).toBe(meant);
    expect(didYouMean(typed, FLAGS)).toBe(`did you mean '${meant}'?`);
  });

  it('completes a prefix that only one name has', () => {
    expect(findNearest('--doc', FLAGS)).toBe('--document');
    expect(findNearest('fo', ['folders', 'documents', 'agents'])).toBe('folders');
    expect(findNearest('do', ['documents', 'doctor'])).toBeUndefined();
    expect(findNearest('f', ['folders', 'documents'])).toBeUndefined();
  });

  it('finds nothing similar to an unrelated word, and didYouMean lists all names', () => {
    expect(findNearest('--organization', FLAGS)).toBeUndefined();
    expect(findNearest('nmae', ['userId', 'name'])).toBe('name');
    expect(findNearest('0', ['1', 'x'])).toBeUndefined();
    expect(findNearest('X', ['1', 'x'])).toBe('x');
    expect(didYouMean('xyz', ['id', 'name'])).toBe('known: id, name');
  });
});

describe('findSimilar', () => {
  it.each([
    ['acmee', 'acme'],
    ['ACMR', 'acme'],
    ['gloebx', 'globex'],
    ['globx', 'globex'],
  ])('finds for %s: %s', (typed, meant) => {
    expect(findSimilar(typed, ['initech', 'acme', 'globex'])).toBe(meant);
  });

  it('finds the closest name, which differs in one or two letters, and in less than half', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 8 }),
        fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 8 })),
        (typed, known) => {
          const edits = (name: string) => distance(typed, name);
          const isSimilar = (name: string) =>
            name !== typed &&
            edits(name) <= 2 &&
            edits(name) * 2 < Math.min(typed.length, name.length);
          const similar = known.filter(isSimilar);
          const least = Math.min(...similar.map(edits));
          expect(findSimilar(typed, known)).toBe(similar.find((name) => edits(name) === least));
        },
      ),
    );
  });
});
