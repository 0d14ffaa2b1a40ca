import { valueAt } from '../kernel/field-path.ts';
import { safeJson } from '../kernel/safe-text.ts';
import type { Flag } from './flags.ts';
import type { OperationEntry } from './manifest.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * A command line that calls an operation with these fields, ready for a shell: `svc documents list --org acme --all`.
 * `program` is how svc is called, with the flags that lead to the same service.
 */
export function commandText(entry: OperationEntry, fields: Fields, program = 'svc'): string {
  const { command, argument, flags, paged } = entry;
  const positional =
    argument && fields[argument.field] !== undefined ? [shellWord(String(fields[argument.field]))] : [];
  const given = flags.flatMap((flag) => flagWords(flag, valueAt(fields, flag.path)));
  return [program, ...command, ...positional, ...given, ...(paged ? ['--all'] : [])].join(' ');
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
      return Object.entries(Object(value)).flatMap(([key, one]) => [`--${name}`, shellWord(`${key}=${one}`)]);
    default:
      return [value].flat().flatMap((one) => [`--${name}`, shellWord(String(one))]);
  }
}

/** The same for fields that flags would say clumsily: as the document that the command takes. */
export function commandWithData(command: readonly string[], data: unknown, program = 'svc'): string {
  return [program, ...command, '--data', shellWord(safeJson(JSON.stringify(data)))].join(' ');
}

/** A word as a shell takes it: in quotes where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
