import { commandText } from '../../catalog/command-text.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { Context } from '../context.ts';
import { programOf } from '../line/program-text.ts';
import { given } from '../option-values.ts';

/** The same refusal with the command that lists what can be found, where the group has one. */
export function withList(
  { options }: Context,
  { command, argument, flags }: OperationEntry,
  input: Readonly<Record<string, unknown>>,
  error: SvcError,
): SvcError {
  const group = command.slice(0, -1).join(' ');
  const lister = manifest.find(({ command: other }) => other.join(' ') === `${group} list`);
  const isAboutOne = argument !== undefined || lister?.command.join(' ') === command.join(' ');
  if (!lister || !isAboutOne) return error;
  const { organizationId } = input;
  const hasMore = flags.some(({ path }) => path[0] !== 'organizationId' && input[path[0] ?? ''] !== undefined);
  if (!argument && !hasMore) return error;
  const { failure, message, status } = error;
  const hint = `${commandText({ ...lister, paged: false }, { organizationId }, programOf(options))} shows those there are`;
  return new SvcError(failure, message, { hint, cause: error, ...given('status', status) });
}
