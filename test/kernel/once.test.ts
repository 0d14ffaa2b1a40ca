import { describe, expect, it } from 'vitest';
import { once } from '../../src/kernel/once.ts';

describe('a value that is made once', () => {
  it('is made when it is first asked for, and kept although it is undefined', () => {
    let made = 0;
    const value = once(() => {
      made += 1;
      return undefined;
    });
    expect(made).toBe(0);
    expect([value(), value(), made]).toEqual([undefined, undefined, 1]);
  });

  it('is the same promise for all, also where that is rejected', async () => {
    const value = once(async () => {
      throw new Error('no');
    });
    expect(value()).toBe(value());
    await expect(value()).rejects.toThrow('no');
  });
});
