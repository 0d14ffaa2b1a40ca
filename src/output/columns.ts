import type { Column } from '../catalog/define.ts';
import { isObject } from '../kernel/json.ts';
import type { View } from './renderer.ts';

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
