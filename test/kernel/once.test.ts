import { describe, expect, it } from 'vitest';
import { once } from '../../src/kernel/once.ts';

describe('once', () => {
  it('creates the value on first use, and caches even undefined', () => {
    let made = 0;
    const value = once(() => {
      made += 1;
      return undefined;
    });
    expect(made).toBe(0);
    expect([value(), value(), made]).toEqual([undefined, undefined, 1]);
  });

  it('returns the same promise to all callers, even if it is rejected', async () => {
    const value = once(async () => {
      throw new Error('no');
    });
    expect(value()).toBe(value());
    await expect(value()).rejects.toThrow('no');
  });
});
