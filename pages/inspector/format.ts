import { escapeForTerminal, escapeJsonForTerminal } from '../../src/kernel/safe-text.ts';

/** Makes invisible and bidirectional control characters visible, as in a terminal. */
export const safe = (text: unknown): string => escapeForTerminal(String(text));

/** Like `safe`, but keeps line breaks. */
export const safeLines = (text: string): string =>
  text
    .split(/\r\n|\n|\r/)
    .map(escapeForTerminal)
    .join('\n');

export const formatJson = (value: unknown): string =>
  escapeJsonForTerminal(JSON.stringify(value, null, 2));

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Formats milliseconds with at most two units: `12 ms`, `3 s`, `2 d 1 h`. */
export function formatDuration(milliseconds: number): string {
  let rest = milliseconds;
  const parts = UNITS.flatMap(([size, unit]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? `${count} ${unit}` : [];
  });
  return parts.slice(0, 2).join(' ') || `${milliseconds} ms`;
}

/** Formats the offset of the service's time from real time: `+2 d 1 h`, `none`. */
export function formatOffset(offset: number): string {
  return offset === 0 ? 'none' : `${offset < 0 ? '−' : '+'}${formatDuration(Math.abs(offset))}`;
}

/** Formats a time relative to another: `now`, `3 s ago`, `in 5 min`. */
export function formatRelative(time: number, now: number): string {
  const distance = Math.abs(now - time);
  const [size, unit] = UNITS.find(([least]) => distance >= least) ?? [];
  if (!size) return 'now';
  const text = `${Math.floor(distance / size)} ${unit}`;
  return time > now ? `in ${text}` : `${text} ago`;
}

/** Formats a field name as words: `documentId` becomes `document ID`. */
export const wordsOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/\bid$/, 'ID');

/**
 * Whether a field is a valid time, judging by its name. Records can contain fields that the service
 * does not define.
 */
export function isTimeField(name: string, value: unknown): value is string | number {
  return (
    /^time$|(At|Attempt|Updated)$/.test(name) && !Number.isNaN(new Date(value as string).getTime())
  );
}

/** Formats the fields of a record on one line: `on users.add · times 2`. */
export function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  const fields = Object.entries(value).filter(
    ([name, inner]) => inner !== null && name !== 'addedAt',
  );
  const formatField = (name: string, inner: unknown) =>
    isTimeField(name, inner) ? new Date(inner).toISOString() : formatValue(inner);
  return fields.map(([name, inner]) => `${wordsOf(name)} ${formatField(name, inner)}`).join(' · ');
}
