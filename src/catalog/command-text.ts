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
  const given = flags.flatMap(({ name, path: [field = ''] }) =>
    [fields[field] ?? []].flat().flatMap((value) => [`--${name}`, shellWord(String(value))]),
  );
  return [program, ...command, ...positional, ...given, ...(paged ? ['--all'] : [])].join(' ');
}

/** The same for fields that flags would say clumsily: as the document that the command takes. */
export function commandWithData(command: readonly string[], data: unknown, program = 'svc'): string {
  return [program, ...command, '--data', shellWord(JSON.stringify(data))].join(' ');
}

/** A word as a shell takes it: in quotes where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
