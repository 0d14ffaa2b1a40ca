import { parseDuration } from './duration.ts';

/** A moment as a user writes it, and whether it was an epoch in milliseconds, which is easily mistaken for seconds. */
export interface Moment {
  readonly seconds: number;
  readonly wasMilliseconds: boolean;
}

/** Above this an epoch is taken for milliseconds: as seconds it would lie in the year 5138. */
const MOST_SECONDS = 1e11;

const RFC_3339 = /^\d{4}-\d\d-\d\d([Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?)?$/;

/** Unix seconds of RFC 3339 (`2026-03-01T12:00:00Z`), a duration from `now` (`48h`) or an epoch; `undefined` otherwise. */
export function parseMoment(text: string, now: number): Moment | undefined {
  const trimmed = text.trim();
  const duration = parseDuration(trimmed);
  if (duration !== undefined) return inSeconds(now + duration);
  if (/^\d+$/.test(trimmed)) {
    const epoch = Number(trimmed);
    return epoch > MOST_SECONDS ? { ...inSeconds(epoch), wasMilliseconds: true } : inSeconds(epoch * 1000);
  }
  const parsed = RFC_3339.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : inSeconds(parsed);
}

/** Milliseconds since the epoch of a moment in the past: a duration before `now` (`2h`), else as `parseMoment` reads it. */
export function parseSince(text: string, now: number): number | undefined {
  const ago = parseDuration(text);
  if (ago !== undefined) return now - ago;
  const moment = parseMoment(text, now);
  return moment && moment.seconds * 1000;
}

function inSeconds(milliseconds: number): Moment {
  return { seconds: Math.floor(milliseconds / 1000), wasMilliseconds: false };
}
