import type { BulkFields } from '../catalog/bulk-fields.ts';
import { isSameName } from '../catalog/intended-field.ts';
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
  /** Set if the field is a problem; otherwise it is a warning. */
  readonly hint?: string;
}

/**
 * Describes a field that the operation does not know. The unknown columns of a CSV file share a
 * warning.
 * @param columns fields in the header of the file, if it has one
 */
export function describeUnknownField(
  field: string,
  columns: readonly string[],
  fields: BulkFields,
): UnknownFieldFinding {
  const { targetFields, bareIds, id } = fields;
  const targetOf = (name: string) => targetFields.find((target) => isSameName(target.name, name));
  const target = targetOf(field);
  if (target) {
    const [use, drop] = [target.name, ''].map((name) => formatMapFlags([[field, name]]));
    return {
      names: [field],
      message: `the field '${field}' looks like '${target.name}'`,
      hint: `to use it, add ${use}; to drop it, add ${drop}`,
    };
  }
  const isColumn = columns.includes(field);
  const names = isColumn
    ? findUnknownColumns(columns, fields).filter((column) => !targetOf(column))
    : [field];
  const noun = `${isColumn ? 'column' : 'field'}${names.length === 1 ? '' : 's'}`;
  const unknown = `unknown ${noun} ${listColumns(names.map((name) => `'${name}'`))}`;
  const verb = names.length === 1 ? 'is' : 'are';
  const message = bareIds
    ? `${unknown} ${verb} dropped; only '${id}' of each record is sent`
    : `${unknown} ${verb} sent unchanged; ${suggest(field, columns, fields)}`;
  return { names, message };
}

function suggest(field: string, columns: readonly string[], fields: BulkFields): string {
  const guesses = guessFields(columns, fields);
  if (guesses.size > 0) return `to rename, add ${formatMapFlags(guesses)}`;
  const { knownFields, targetFields } = fields;
  return didYouMean(field, [...knownFields, ...targetFields.map(({ name }) => name)]);
}
