import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PIPE_DISPLAY } from '../../src/output/display-options.ts';
import { formatTime } from '../../src/output/times.ts';

const NOW = Date.UTC(2026, 2, 1, 12);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

function relative(distance: number): string | undefined {
  return formatTime(NOW + distance, { ...PIPE_DISPLAY, time: 'relative', now: NOW });
}

it.each([
  [0, 'now'],
  [-999, 'now'],
  [-SECOND, '1 s ago'],
  [-59 * SECOND, '59 s ago'],
  [-60 * SECOND, '1 min ago'],
  [-HOUR, '1 h ago'],
  [-47 * HOUR, '47 h ago'],
  [-2 * DAY, '2 d ago'],
  [-59 * DAY, '59 d ago'],
  [-60 * DAY, '1 mo ago'],
  [-365 * DAY, '11 mo ago'],
  [-730 * DAY, '1 y ago'],
  [-4000 * DAY, '10 y ago'],
  [90 * SECOND, 'in 1 min'],
  [3 * DAY, 'in 3 d'],
])('%d ms from now is %s', (distance, text) => {
  expect(relative(distance)).toBe(text);
});

it('every time has a short text, and a longer distance never reads as shorter', () => {
  const any = fc.integer({ min: 0, max: 200 * 365 }).map((days) => days * DAY);
  fc.assert(
    fc.property(any, (distance) => {
      expect(relative(-distance)).toMatch(/^(now|\d+ (s|min|h|d|mo|y) ago)$/);
      expect(relative(distance)).toMatch(/^(now|in \d+ (s|min|h|d|mo|y))$/);
    }),
  );
});

it('is RFC 3339 to the second, nothing for other values, and nothing with raw', () => {
  expect(formatTime(NOW, PIPE_DISPLAY)).toBe('2026-03-01T12:00:00Z');
  expect(formatTime('2026-03-01T12:00:00.250+01:00', PIPE_DISPLAY)).toBe('2026-03-01T11:00:00Z');
  expect(formatTime('soon', PIPE_DISPLAY)).toBeUndefined();
  expect(formatTime(1e300, PIPE_DISPLAY)).toBeUndefined();
  expect(formatTime(NOW, { ...PIPE_DISPLAY, time: 'raw' })).toBeUndefined();
});
