import { describe, expect, it } from 'vitest';
import assertSupportedNode, { satisfies } from './node-version.ts';

const RANGE = '^22.22.2 || ^24.15.0 || >=26.0.0';

describe('the guard on the version of Node.js', () => {
  it.each(['22.22.2', '22.30.0', '24.15.0', '24.21.0', '26.0.0', '27.1.4'])('lets %s through', (version) => {
    expect(satisfies(version, RANGE)).toBe(true);
  });

  it.each(['18.20.0', '20.20.2', '22.22.1', '23.30.0', '24.14.9', '25.9.9'])('stops %s', (version) => {
    expect(satisfies(version, RANGE)).toBe(false);
  });

  it('does not guess at a range that it cannot read', () => {
    expect(() => satisfies('24.21.0', '24.x')).toThrow('engines.node');
  });

  it('lets this run through', async () => {
    await expect(assertSupportedNode()).resolves.toBeUndefined();
  });
});
