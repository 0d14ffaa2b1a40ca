import { describe, expect, it } from 'vitest';
import { parseDuration, parseDurationFlag } from '../../src/kernel/duration.ts';

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['60s', 60_000],
    ['1.5m', 90_000],
    ['48h', 172_800_000],
    ['30d', 2_592_000_000],
    [' 0s ', 0],
  ])('parses %j as %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', '5', 's', '-1s', '1w', '1 s', '1h30m', '1e3s', 'NaNs'])('rejects %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('names the flag of an invalid duration', () => {
    expect(parseDurationFlag('--timeout', '2s')).toBe(2_000);
    expect(() => parseDurationFlag('--timeout', 'soon')).toThrow(
      expect.objectContaining({
        failure: 'usage',
        message: "--timeout must be a duration, got 'soon'",
      }),
    );
  });
});
