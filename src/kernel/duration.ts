import { SvcError } from './errors.ts';

const UNIT_MILLISECONDS = new Map(
  Object.entries({ ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }),
);

/**
 * Parses `250ms`, `60s`, `10m`, `48h`, or `30d` to milliseconds; `undefined` if the text is not a
 * duration.
 */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  const unit = match?.[2] && UNIT_MILLISECONDS.get(match[2]);
  return match && unit ? Number(match[1]) * unit : undefined;
}

/**
 * Parses the value of a duration flag to milliseconds.
 * @param flag the name of the value in the message
 * @throws SvcError `usage` if the text is not a duration
 */
export function parseDurationFlag(flag: string, text: string): number {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined) {
    throw new SvcError('usage', `${flag} must be a duration, got '${text}'`, {
      hint: 'use a number and a unit: 500ms, 30s, 10m, or 48h',
    });
  }
  return milliseconds;
}

/** Formats milliseconds as the value of a duration flag, such as `45s` or `2h`. Rounds up. */
export function formatDurationValue(milliseconds: number): string {
  const whole = Math.round(milliseconds);
  const minutes = whole / 60_000;
  const hours = minutes / 60;
  if (hours >= 1 && Number.isInteger(hours)) return `${hours}h`;
  const isLong = minutes >= 120 || (minutes >= 1 && Number.isInteger(minutes));
  return isLong ? `${Math.ceil(minutes)}m` : `${Math.ceil(whole / 1_000)}s`;
}

export function parseOptionalDuration(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseDurationFlag(flag, text);
}
