import type { Column } from '../catalog/define.ts';
import { safeText } from '../kernel/safe-text.ts';
import type { Look } from './look.ts';
import { timeText } from './times.ts';

/** What stands for true and false where marks are drawn. */
export const MARKS = { true: '✓', false: '–' } as const;

/** The text of a table's cell, safe for a terminal: lists with commas, objects as JSON, nothing for what is absent. */
export function cellText(value: unknown, look: Look, kind?: Column['kind']): string {
  if (look.marks && typeof value === 'boolean') return MARKS[`${value}`];
  return safeText((kind === 'time' && timeText(value, look)) || plainText(value));
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
