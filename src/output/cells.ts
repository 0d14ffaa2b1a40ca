import type { Column } from '../catalog/define.ts';
import { safeText } from '../kernel/safe-text.ts';

/** The text of a table's cell, safe for a terminal: lists with commas, objects as JSON, nothing for what is absent. */
export function cellText(value: unknown, kind?: Column['kind']): string {
  return safeText(kind === 'time' ? timeText(value) : plainText(value));
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** RFC 3339 in UTC, to the second; what is no time is shown as it is. */
function timeText(value: unknown): string {
  const isTime = typeof value === 'number' || (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value));
  const time = new Date(isTime ? value : Number.NaN);
  return Number.isNaN(time.getTime()) ? plainText(value) : time.toISOString().replace(/\.\d+Z$/, 'Z');
}
