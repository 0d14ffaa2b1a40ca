import { valueAt } from '../kernel/field-path.ts';
import { quoteForShell } from '../kernel/quote-for-shell.ts';
import { escapeJsonForTerminal } from '../kernel/safe-text.ts';
import type { Flag } from './flags.ts';
import type { OperationEntry } from './manifest.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Formats a command line that calls an operation with these fields, quoted for a shell: `svc documents list --org acme --all`.
 * @param program the program name, followed by the flags that select the current service
 */
export function formatCommand(entry: OperationEntry, fields: Fields, program = 'svc'): string {
  return [program, ...commandArguments(entry, fields).map(quoteForShell)].join(' ');
}

/** Returns the unquoted arguments of the command line that `formatCommand` formats. */
export function commandArguments(entry: OperationEntry, fields: Fields): readonly string[] {
  const { command, argument, flags, paged } = entry;
  const positional = argument && fields[argument.field] !== undefined ? [String(fields[argument.field])] : [];
  const given = flags.flatMap((flag) => flagArguments(flag, valueAt(fields, flag.path)));
  return [...command, ...positional, ...given, ...(paged ? ['--all'] : [])];
}

/** Creates the arguments that set a field. Secrets are read from stdin. */
function flagArguments({ name, off, kind }: Flag, value: unknown): readonly string[] {
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

/** Formats a command line that passes its input as `--data`, for inputs that flags express poorly. */
export function formatDataCommand(command: readonly string[], data: unknown, program = 'svc'): string {
  return [program, ...dataArguments(command, data).map(quoteForShell)].join(' ');
}

/** Returns the unquoted arguments of the command line that `formatDataCommand` formats. */
export function dataArguments(command: readonly string[], data: unknown): readonly string[] {
  return [...command, '--data', escapeJsonForTerminal(JSON.stringify(data))];
}
