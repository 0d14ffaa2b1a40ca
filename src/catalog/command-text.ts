import { valueAt } from '../kernel/field-path.ts';
import type { Fields } from '../kernel/json.ts';
import { escapeJsonForTerminal } from '../kernel/safe-text.ts';
import type { Flag } from './flags.ts';
import type { OperationEntry } from './manifest.ts';

/**
 * Returns the unquoted arguments of a command line that calls an operation with these fields:
 * `documents list --org acme --all`.
 */
export function commandArguments(entry: OperationEntry, fields: Fields): readonly string[] {
  const { command, argument, flags, paged } = entry;
  const positional =
    argument && fields[argument.field] !== undefined ? [String(fields[argument.field])] : [];
  const flagWords = flags.flatMap((flag) => flagArguments(flag, valueAt(fields, flag.path)));
  return [...command, ...positional, ...flagWords, ...(paged ? ['--all'] : [])];
}

function flagArguments({ name, off, kind }: Flag, value: unknown): readonly string[] {
  if (value === undefined) return [];
  switch (kind) {
    case 'boolean':
      return [value === true ? `--${name}` : `--${off ?? `no-${name}`}`];
    case 'secret':
      return [`--${name}-stdin`];
    case 'map':
    case 'switches':
      return Object.entries(Object(value)).flatMap(([key, inner]) => [
        `--${name}`,
        `${key}=${inner}`,
      ]);
    default:
      return [value].flat().flatMap((item) => [`--${name}`, String(item)]);
  }
}

/**
 * Returns the unquoted arguments of a command line that passes its input as `--data`, for inputs
 * that flags express poorly.
 */
export function dataArguments(command: readonly string[], data: unknown): readonly string[] {
  return [...command, '--data', escapeJsonForTerminal(JSON.stringify(data))];
}
