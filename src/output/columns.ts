import type { Column } from '../catalog/define.ts';
import { formatOperation } from '../catalog/operation-name.ts';
import { quoteUnclearId } from '../kernel/id-text.ts';
import { isObject } from '../kernel/json.ts';
import { escapeForTerminal } from '../kernel/safe-text.ts';
import type { DisplayOptions } from './display-options.ts';
import { formatBytes, formatCount } from './quantities.ts';
import type { View } from './renderer.ts';
import { formatTime } from './times.ts';

/** @param isTable whether to omit columns that are hidden in tables */
export function chooseColumns(
  { columns, fields }: View,
  records: readonly unknown[],
  isTable: boolean,
): readonly Column[] {
  if (fields)
    return fields.map(
      (field) => columns?.find((column) => column.field === field) ?? createColumn(field),
    );
  if (columns)
    return columns.filter(
      ({ isOptional, isHiddenInTables, field }) =>
        !(isTable && isHiddenInTables) &&
        (!isOptional ||
          records.some((record) => isObject(record) && (record[field] ?? null) !== null)),
    );
  const names = new Set<string>();
  for (const record of records)
    if (isObject(record)) for (const name of Object.keys(record)) names.add(name);
  if (names.size > 0) return [...names].map(createColumn);
  return records.length > 0 ? [{ header: 'VALUE', field: '' }] : [];
}

function createColumn(field: string): Column {
  return { header: headerOf(field), field, kind: columnKindOf(field) };
}

/** Returns whether a field contains IDs, which are never shortened. */
export function columnKindOf(field: string): 'whole' | 'text' {
  return /(^|\.)ids?$|[a-z]Ids?$/.test(field) ? 'whole' : 'text';
}

/** Creates the default header of a field: `FOLDER ID` for `folderId`. */
export function headerOf(field: string): string {
  return field.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();
}

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
