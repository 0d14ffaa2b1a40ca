import { parseDuration } from './duration.ts';
import { SvcError } from './errors.ts';

export interface Timestamp {
  /** Unix time. */
  readonly seconds: number;
  /** Whether the input was in milliseconds, which users easily confuse with seconds. */
  readonly wasMilliseconds: boolean;
}

/**
 * Maximum number of seconds. Larger numbers are milliseconds: as seconds, they would be after the
 * year 5138.
 */
const MAX_SECONDS = 1e11;
const RFC_3339 = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?)?$/;

/**
 * Parses RFC 3339 (`2026-03-01T12:00:00Z`), a duration after `now` (`48h`), or Unix time;
 * `undefined` for any other text.
 */
export function parseTimestamp(text: string, now: number): Timestamp | undefined {
  const trimmed = text.trim();
  const duration = parseDuration(trimmed);
  if (duration !== undefined) return toTimestamp(now + duration);
  if (/^\d+$/.test(trimmed)) {
    const epoch = Number(trimmed);
    return epoch > MAX_SECONDS
      ? { ...toTimestamp(epoch), wasMilliseconds: true }
      : toTimestamp(epoch * 1000);
  }
  const parsed = RFC_3339.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : toTimestamp(parsed);
}

/**
 * Parses a past time to Unix milliseconds: a duration before `now` (`2h`), or a time that
 * `parseTimestamp` accepts.
 */
export function parseSince(text: string, now: number): number | undefined {
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  const timestamp = parseTimestamp(text, now);
  return timestamp && timestamp.seconds * 1000;
}

/** The start and the end of a period, as text or in Unix milliseconds. */
export interface Period<Time> {
  readonly since?: Time | undefined;
  readonly until?: Time | undefined;
}

/** Parses a period of past times. @throws SvcError `usage` if it ends before it starts */
export function parsePeriod({ since, until }: Period<string>, now: number): Period<number> {
  const start = since === undefined ? undefined : parseSince(since, now);
  const end = until === undefined ? undefined : parseSince(until, now);
  if (start === undefined || end === undefined || start <= end) return { since: start, until: end };
  const problem = `--since ${since} is later than --until ${until}`;
  throw new SvcError('usage', `${problem}; no delivery can match`, {
    hint: 'exchange the two values',
  });
}

/** Whether a number is Unix time in milliseconds, which users easily confuse with seconds. */
export function isInMilliseconds(epoch: number): boolean {
  return epoch > MAX_SECONDS;
}

/** Converts Unix time in seconds or milliseconds to seconds. */
export function toEpochSeconds(epoch: number): number {
  return isInMilliseconds(epoch) ? epoch / 1000 : epoch;
}

/** Converts Unix seconds to milliseconds. The result is at most the largest safe integer. */
export function toExpiry(seconds: number): number {
  return Math.min(Math.round(seconds * 1000), Number.MAX_SAFE_INTEGER);
}

function toTimestamp(milliseconds: number): Timestamp {
  return { seconds: Math.floor(milliseconds / 1000), wasMilliseconds: false };
}
