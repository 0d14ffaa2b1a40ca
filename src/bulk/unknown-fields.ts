import type { BulkFields } from '../catalog/bulk-fields.ts';
import {
  describeSelectingField,
  formatKeepHint,
  type SelectingField,
} from '../catalog/selecting-fields.ts';
import { didYouMean } from '../kernel/nearest.ts';
import {
  findUnknownColumns,
  formatMapFlags,
  guessFields,
  listColumns,
} from './source/column-guesses.ts';

export interface UnknownFieldFinding {
  /** The unknown fields that the finding covers. */
  readonly names: readonly string[];
  readonly message: string;
}

/**
 * Describes a field that the operation does not know. The unknown columns of a CSV file share a
 * warning, except those that choose where records go.
 * @param columns fields in the header of the file, if it has one
 */
export function describeUnknownField(
  field: string,
  columns: readonly string[],
  fields: BulkFields,
): UnknownFieldFinding {
  const { bareIds, id } = fields;
  const isColumn = columns.includes(field);
  const names = isColumn
    ? findUnknownColumns(columns, fields).filter(
        (column) => describeSelectingField(column, undefined, fields) === undefined,
      )
    : [field];
  const noun = `${isColumn ? 'column' : 'field'}${names.length === 1 ? '' : 's'}`;
  const unknown = `unknown ${noun} ${listColumns(names.map((name) => `'${name}'`))}`;
  const verb = names.length === 1 ? 'is' : 'are';
  const message = bareIds
    ? `${unknown} ${verb} dropped; only '${id}' of each record is sent`
    : `${unknown} ${verb} sent unchanged; ${suggest(field, { columns, names, fields })}`;
  return { names, message };
}

function suggest(
  field: string,
  {
    columns,
    names,
    fields,
  }: {
    readonly columns: readonly string[];
    readonly names: readonly string[];
    readonly fields: BulkFields;
  },
): string {
  const guesses = [...guessFields(columns, fields)].filter(([column]) => names.includes(column));
  if (guesses.length > 0) return `to rename, add ${formatMapFlags(guesses)}`;
  const { knownFields, targetFields } = fields;
  return didYouMean(field, [...knownFields, ...targetFields.map(({ name }) => name)]);
}

/**
 * Describes what to do about selecting fields.
 * @param given target fields that the command sets for all records
 */
export function formatSelectingHint(
  fields: readonly SelectingField[],
  given: readonly string[],
  naming: 'flags' | 'fields',
): string {
  const isUsable = ({ canRename, means }: SelectingField) => canRename && !given.includes(means);
  const usable = fields.filter(isUsable);
  const own = fields.map(({ name }) => name);
  if (naming === 'fields') return formatKeepHint(usable, fields);
  const drop = formatMapFlags(own.map((name) => [name, '']));
  const keep = formatMapFlags(own.map((name) => [name, name]));
  const it = own.length === 1 ? 'it' : 'them';
  // What the command sets already must be dropped.
  const use =
    usable.length === 0
      ? ''
      : `to use ${it}, add ${formatMapFlags(fields.map((field) => [field.name, isUsable(field) ? field.means : '']))}; `;
  return `${use}to drop ${it}, add ${drop}; to keep ${it} in the records, add ${keep}`;
}
