import type { Column } from '../catalog/define.ts';
import { formatOperation } from '../catalog/operation-name.ts';
import { quoteUnclearId } from '../kernel/id-text.ts';
import { escapeForTerminal } from '../kernel/safe-text.ts';
import type { DisplayOptions } from './display-options.ts';
import { formatBytes, formatCount } from './quantities.ts';
import { formatTime } from './times.ts';

export const MARKS = { true: '✓', false: '–' } as const;

/**
 * Escapes the value for a terminal. Lists get commas, objects become JSON, absent values empty
 * text.
 */
export function formatCell(value: unknown, display: DisplayOptions, kind?: Column['kind']): string {
  const text = formatPlainCell(value, display, kind);
  const { breakCommands, isInteractive } = display;
  if (!breakCommands) return text;
  // A terminal may wrap the cell before any word.
  return isInteractive ? text.split(' ').map(breakCommands).join(' ') : breakCommands(text);
}

function formatPlainCell(value: unknown, display: DisplayOptions, kind?: Column['kind']): string {
  if (display.useMarks && typeof value === 'boolean') return MARKS[`${value}`];
  const text = kind === 'time' ? formatTime(value, display) : undefined;
  if (kind === 'whole' && typeof value === 'string')
    return escapeForTerminal(quoteUnclearId(value));
  if (kind === 'count' && typeof value === 'number') return formatCount(value);
  if (kind === 'bytes' && typeof value === 'number') return formatBytes(value);
  if (kind === 'operation') return escapeForTerminal(formatOperation(plainText(value)));
  return escapeForTerminal(text || plainText(value));
}

function plainText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
