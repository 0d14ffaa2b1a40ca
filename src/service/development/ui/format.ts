import { escapeForTerminal, escapeJsonForTerminal } from '../../../kernel/safe-text.ts';

/** Makes invisible and bidirectional control characters visible, as in a terminal. */
export const safe = (text: unknown): string => escapeForTerminal(String(text));

/** Formats a value as indented JSON with visible control characters. */
export const formatJson = (value: unknown): string => escapeJsonForTerminal(JSON.stringify(value, null, 2) ?? '');

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** Formats milliseconds in their largest units: `12 ms`, `3 s`, `2 d 1 h`. */
export function formatDuration(milliseconds: number): string {
  let rest = Math.abs(milliseconds);
  const parts: string[] = [];
  for (const [size, unit] of UNITS) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.slice(0, 2).join(' ') || `${Math.round(rest * 10) / 10} ms`;
}

/** Formats a time relative to `now`: `now`, `3 s ago`, `in 5 min`. */
export function formatRelative(time: number, now: number): string {
  const [distance, unit] = UNITS.find(([size]) => Math.abs(now - time) >= size) ?? [Number.POSITIVE_INFINITY, ''];
  const text = `${Math.floor(Math.abs(now - time) / distance)} ${unit}`;
  if (unit === '') return 'now';
  return time > now ? `in ${text}` : `${text} ago`;
}

/** Formats a difference to the real time: `+2 d 1 h`, `−5 min`. */
export const formatOffset = (offset: number): string => `${offset < 0 ? '−' : '+'}${formatDuration(offset)}`;

/** Formats a field name as words: `documentId` becomes `document ID`. */
export const wordsOf = (name: string): string => {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/\bid$/, 'ID');
};

/** Formats the fields of a record in one line: `on users.add · times 2`. Leaves out the ID of its owner. */
export function formatValue(value: unknown, owner?: string): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  const fields = Object.entries(value).filter(([name, inner]) => inner !== null && inner !== owner && name !== 'addedAt');
  return fields.map(([name, inner]) => `${wordsOf(name)} ${formatValue(inner)}`).join(' · ');
}
