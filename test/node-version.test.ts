import { describe, expect, it } from 'vitest';
import assertSupportedNode, { satisfies } from './node-version.ts';

const RANGE = '^22.22.2 || ^24.15.0 || >=26.0.0';

describe('the check of the Node.js version', () => {
  it.each(['22.22.2', '22.30.0', '24.15.0', '24.21.0', '26.0.0', '27.1.4'])(
    'accepts %s',
    (version) => {
      expect(satisfies(version, RANGE)).toBe(true);
    },
  );

  it.each(['18.20.0', '20.20.2', '22.22.1', '23.30.0', '24.14.9', '25.9.9'])(
    'rejects %s',
    (version) => {
      expect(satisfies(version, RANGE)).toBe(false);
    },
  );

  it('throws for a range that it cannot parse', () => {
    expect(() => satisfies('24.21.0', '24.x')).toThrow('engines.node');
  });

  it('accepts the current version', async () => {
    await expect(assertSupportedNode()).resolves.toBeUndefined();
  });
});
