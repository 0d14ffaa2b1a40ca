import type { DisplayOptions } from './display-options.ts';

/**
 * Formats a time given in milliseconds since the epoch or as ISO text; `undefined` for other
 * values.
 */
export function formatTime(value: unknown, { time, now }: DisplayOptions): string | undefined {
  if (time === 'raw') return undefined;
  const isTime =
    typeof value === 'number' || (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value));
  const moment = new Date(isTime ? value : Number.NaN).getTime();
  if (Number.isNaN(moment)) return undefined;
  return time === 'relative'
    ? formatRelative(moment - now)
    : new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z');
}

export type TimePrecision = 'second' | 'minute' | 'day';

/**
 * Shortens an RFC 3339 time: `2024-11-15T21:12Z` or `2024-11-15`. Returns other texts unchanged.
 */
export function shortenTime(text: string, precision: TimePrecision): string {
  const [, day, minute] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d):\d\dZ$/.exec(text) ?? [];
  if (day === undefined || precision === 'second') return text;
  return precision === 'day' ? day : `${day}${minute}Z`;
}

/** Whether a field contains a time, based on its name and value: `createdAt: 1731705121000`. */
export function isTimeField(path: string, value: unknown): boolean {
  const isMoment =
    typeof value === 'number'
      ? value > MIN_MILLISECONDS && value < MAX_MILLISECONDS
      : typeof value === 'string';
  return isMoment && /(At|[uU]pdated?|timestamp)$/.test(path);
}

/** Range of plausible milliseconds: above any time in seconds, below the limit of dates. */
const MIN_MILLISECONDS = 1e11;
const MAX_MILLISECONDS = 1e14;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS = [
  [MINUTE, SECOND, 's'],
  [HOUR, MINUTE, 'min'],
  [2 * DAY, HOUR, 'h'],
  [60 * DAY, DAY, 'd'],
  [730 * DAY, 30.44 * DAY, 'mo'],
  [Number.POSITIVE_INFINITY, 365.25 * DAY, 'y'],
] as const;

/** Formats a relative time: `5 min ago`, `in 3 d`, or `now` within a second. */
function formatRelative(distance: number): string {
  const length = Math.abs(distance);
  if (length < SECOND) return 'now';
  const [, size, unit] = UNITS.find(([end]) => length < end) ?? UNITS[5];
  const amount = `${Math.floor(length / size)} ${unit}`;
  return distance < 0 ? `${amount} ago` : `in ${amount}`;
}
