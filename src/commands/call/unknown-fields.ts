import { bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import { findIntendedField } from '../../catalog/intended-field.ts';
import { findSelectingInCall } from '../../catalog/selecting-fields.ts';
import { SvcError } from '../../kernel/errors.ts';
import { formatFieldPath } from '../../kernel/field-path.ts';
import type { Fields } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Context } from '../context.ts';

/**
 * Warns about fields of `--data` that the operation does not have, which are sent unchanged.
 * @throws SvcError `invalid_input` for a field that selects a target or a role, or that is beside a
 * list of records and probably means a known one: without it, the write could go to another place
 */
export async function checkUnknownFields(
  context: Context,
  operation: Operation,
  data: Fields,
): Promise<void> {
  const { input, bulk } = operation;
  const known = Object.keys(input.shape);
  const prefix = context.inputNaming === 'flags' ? '--data: ' : '';
  const [selecting] = findSelectingInCall(operation, data);
  if (selecting) {
    const { path, means, canRename } = selecting;
    const list = bulk?.field === undefined ? undefined : bulkFieldsOf(operation);
    const advice = list?.knownFields.includes(means)
      ? `put '${means}' into each record of '${list.listName}'`
      : `it looks like '${means}', which is not a field there; remove it`;
    throw new SvcError('invalid_input', `${prefix}unknown field '${formatFieldPath(path)}'`, {
      hint: canRename ? `did you mean '${means}'?` : advice,
    });
  }
  const meant = known.filter((name) => name !== bulk?.field);
  const isUnknown = (name: string) => data[name] !== undefined && !known.includes(name);
  for (const field of Object.keys(data).filter(isUnknown)) {
    const intended = bulk?.field === undefined ? undefined : findIntendedField(field, meant);
    if (intended !== undefined)
      throw new SvcError('invalid_input', `${prefix}unknown field '${field}'`, {
        hint: `did you mean '${intended}'?`,
      });
    await context.warn(
      `${prefix}unknown field '${field}' is sent unchanged; ${didYouMean(field, known)}`,
    );
  }
}
