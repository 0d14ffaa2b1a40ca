import { formatKeepHint, type SelectingField } from '../catalog/selecting-fields.ts';
import { formatMapFlags } from './source/column-guesses.ts';

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
