import { valueAt } from '../kernel/field-path.ts';
import { safeJson } from '../kernel/safe-text.ts';
import { shellWord } from '../kernel/shell-word.ts';
import type { Flag } from './flags.ts';
import type { OperationEntry } from './manifest.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A command line that calls an operation with these fields, ready for a shell: `svc documents list --org acme --all`.
 * `program` is how svc is called, with the flags that lead to the same service.
 */
export function commandText(entry: OperationEntry, fields: Fields, program = 'svc'): string {
  return [program, ...commandWords(entry, fields).map(shellWord)].join(' ');
}

/** The words of the same command behind the program, unquoted. */
export function commandWords(entry: OperationEntry, fields: Fields): readonly string[] {
  const { command, argument, flags, paged } = entry;
  const positional = argument && fields[argument.field] !== undefined ? [String(fields[argument.field])] : [];
  const given = flags.flatMap((flag) => flagWords(flag, valueAt(fields, flag.path)));
  return [...command, ...positional, ...given, ...(paged ? ['--all'] : [])];
}

/** The words that give a field its value. A secret is left to stdin. */
function flagWords({ name, off, kind }: Flag, value: unknown): readonly string[] {
  if (value === undefined) return [];
  switch (kind) {
    case 'boolean':
      return [value === true ? `--${name}` : `--${off ?? `no-${name}`}`];
    case 'secret':
      return [`--${name}-stdin`];
    case 'map':
    case 'switches':
      return Object.entries(Object(value)).flatMap(([key, one]) => [`--${name}`, `${key}=${one}`]);
    default:
      return [value].flat().flatMap((one) => [`--${name}`, String(one)]);
  }
}

/** The same for fields that flags would say clumsily: as the document that the command takes. */
export function commandWithData(command: readonly string[], data: unknown, program = 'svc'): string {
  return [program, ...dataWords(command, data).map(shellWord)].join(' ');
}

/** The words of the same command behind the program, unquoted. */
export function dataWords(command: readonly string[], data: unknown): readonly string[] {
  return [...command, '--data', safeJson(JSON.stringify(data))];
}
