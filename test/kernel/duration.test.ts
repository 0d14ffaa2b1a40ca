import { describe, expect, it } from 'vitest';
import { durationFlag, parseDuration } from '../../src/kernel/duration.ts';

describe('a duration', () => {
  it.each([
    ['250ms', 250],
    ['60s', 60_000],
    ['1.5m', 90_000],
    ['48h', 172_800_000],
    ['30d', 2_592_000_000],
    [' 0s ', 0],
  ])('%j is %d milliseconds', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each(['', '5', 's', '-1s', '1w', '1 s', '1h30m', '1e3s', 'NaNs'])('%j is none', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('that a flag cannot take names the flag', () => {
    expect(durationFlag('--timeout', '2s')).toBe(2_000);
    expect(() => durationFlag('--timeout', 'soon')).toThrow(
      expect.objectContaining({ failure: 'usage', message: "--timeout: 'soon' is not a duration" }),
    );
  });
});
