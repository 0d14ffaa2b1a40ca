import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PLAIN_LOOK } from '../../src/output/look.ts';
import { timeText } from '../../src/output/times.ts';

const NOW = Date.UTC(2026, 2, 1, 12);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

function relative(distance: number): string | undefined {
  return timeText(NOW + distance, { ...PLAIN_LOOK, time: 'relative', now: NOW });
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

it('every moment has a short text, and a longer way back never sounds shorter', () => {
  const any = fc.integer({ min: 0, max: 200 * 365 }).map((days) => days * DAY);
  fc.assert(
    fc.property(any, (distance) => {
      expect(relative(-distance)).toMatch(/^(now|\d+ (s|min|h|d|mo|y) ago)$/);
      expect(relative(distance)).toMatch(/^(now|in \d+ (s|min|h|d|mo|y))$/);
    }),
  );
});

it('is RFC 3339 to the second, nothing for what is no time, and nothing with raw', () => {
  expect(timeText(NOW, PLAIN_LOOK)).toBe('2026-03-01T12:00:00Z');
  expect(timeText('2026-03-01T12:00:00.250+01:00', PLAIN_LOOK)).toBe('2026-03-01T11:00:00Z');
  expect(timeText('soon', PLAIN_LOOK)).toBeUndefined();
  expect(timeText(1e300, PLAIN_LOOK)).toBeUndefined();
  expect(timeText(NOW, { ...PLAIN_LOOK, time: 'raw' })).toBeUndefined();
});
