import type { Look } from './look.ts';

/** The text of a time, in milliseconds since the epoch or as ISO text; `undefined` for what is neither. */
export function timeText(value: unknown, { time, now }: Look): string | undefined {
  if (time === 'raw') return undefined;
  const isTime = typeof value === 'number' || (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value));
  const moment = new Date(isTime ? value : Number.NaN).getTime();
  if (Number.isNaN(moment)) return undefined;
  return time === 'relative' ? ago(moment - now) : new Date(moment).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Whether a field that nothing describes holds a time by its name and value: `createdAt: 1731705121000`. */
export function isTimeField(path: string, value: unknown): boolean {
  const isMoment = typeof value === 'number' ? value > EARLIEST && value < LATEST : typeof value === 'string';
  return isMoment && /(At|[uU]pdated?|timestamp)$/.test(path);
}

/** Milliseconds that are surely no seconds, and no day that a calendar lacks. */
const EARLIEST = 1e11;
const LATEST = 1e14;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The largest unit that fits, each up to where the next one says more. */
const UNITS = [
  [MINUTE, SECOND, 's'],
  [HOUR, MINUTE, 'min'],
  [2 * DAY, HOUR, 'h'],
  [60 * DAY, DAY, 'd'],
  [730 * DAY, 30.44 * DAY, 'mo'],
  [Number.POSITIVE_INFINITY, 365.25 * DAY, 'y'],
] as const;

/** `5 min ago`, `in 3 d`; within a second it is `now`. */
function ago(distance: number): string {
  const length = Math.abs(distance);
  if (length < SECOND) return 'now';
  const [, size, unit] = UNITS.find(([end]) => length < end) ?? UNITS[5];
  const amount = `${Math.floor(length / size)} ${unit}`;
  return distance < 0 ? `${amount} ago` : `in ${amount}`;
}
