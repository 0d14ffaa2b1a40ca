import { describe, expect, it } from 'vitest';
import { didYouMean, findNearest } from '../../src/kernel/nearest.ts';

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
    expect(didYouMean('xyz', ['id', 'name'])).toBe('known: id, name');
  });
});
