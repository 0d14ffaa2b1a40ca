import type { Operation } from '../../catalog/define.ts';
import { findIntendedField } from '../../catalog/intended-field.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Fields } from '../../kernel/json.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Context } from '../context.ts';

/**
 * Warns about fields of `--data` that the operation does not have, which are sent unchanged.
 * @throws SvcError `invalid_input` for a field beside a list of records that probably means a known
 * one: without it, the records could go to another place
 */
export async function checkUnknownFields(
  context: Context,
  { input, bulk }: Operation,
  data: Fields,
): Promise<void> {
  const known = Object.keys(input.shape);
  const prefix = context.inputNaming === 'flags' ? '--data: ' : '';
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
