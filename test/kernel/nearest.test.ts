import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from '../../src/kernel/nearest.ts';

const FLAGS = ['--file', '--folder', '--fields', '--document'];

describe('the nearest name', () => {
  it.each([
    ['--fiel', '--file'],
    ['--FOLDR', '--folder'],
    ['--documents', '--document'],
    ['--flie', '--file'],
  ])('of %s is %s', (typed, meant) => {
    expect(nearest(typed, FLAGS)).toBe(meant);
    expect(didYouMean(typed, FLAGS)).toBe(`did you mean '${meant}'?`);
  });

  it('of a beginning is the only one that begins so', () => {
    expect(nearest('--doc', FLAGS)).toBe('--document');
    expect(nearest('fo', ['folders', 'documents', 'agents'])).toBe('folders');
    expect(nearest('do', ['documents', 'doctor'])).toBeUndefined();
    expect(nearest('f', ['folders', 'documents'])).toBeUndefined();
  });

  it('of something else is none, and the hint lists what there is', () => {
    expect(nearest('--organization', FLAGS)).toBeUndefined();
    expect(nearest('nmae', ['userId', 'name'])).toBe('name');
    expect(didYouMean('xyz', ['id', 'name'])).toBe('known: id, name');
  });
});
