import type { Column } from '../catalog/define.ts';
import { isObject } from '../kernel/is-object.ts';
import type { View } from './renderer.ts';

/** The columns to show: the selected fields, else those of the operation, else every field that a record has. */
export function columnsFor({ columns, fields }: View, records: readonly unknown[]): readonly Column[] {
  if (fields) return fields.map((field) => columns?.find((column) => column.field === field) ?? columnOf(field));
  if (columns) return columns;
  const names = new Set<string>();
  for (const record of records) if (isObject(record)) for (const name of Object.keys(record)) names.add(name);
  if (names.size > 0) return [...names].map(columnOf);
  return records.length > 0 ? [{ header: 'VALUE', field: '' }] : [];
}

/** A column for a field that no operation describes: `folderId` is FOLDER ID, and an id by its name. */
function columnOf(field: string): Column {
  const header = field.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => ` ${letter}`).toUpperCase();
  return { header, field, kind: /(^|\.)ids?$|[a-z]Ids?$/.test(field) ? 'whole' : 'text' };
}
