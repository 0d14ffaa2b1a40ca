import { valueAt } from '../kernel/field-path.ts';
import type { Fields } from '../kernel/json.ts';
import { escapeJsonForTerminal } from '../kernel/safe-text.ts';
import type { Operation } from './define.ts';
import type { Flag } from './flags.ts';

/** The parts of an operation that determine its command line. */
interface CommandParts extends Pick<Operation, 'command' | 'argument'> {
  readonly flags: readonly Flag[];
  readonly paged: boolean;
}

/**
 * Returns the unquoted arguments of a command line that calls an operation with these fields:
 * `documents list --org acme --all`. Fields of a record are next to those of the call.
 */
export function commandArguments(
  { command, argument, flags, paged }: CommandParts,
  fields: Fields,
): readonly string[] {
  const positional =
    argument && fields[argument.field] !== undefined ? [String(fields[argument.field])] : [];
  const flagWords = flags.flatMap((flag) => flagArguments(flag, valueAt(fields, flag.path)));
  return [...command, ...positional, ...flagWords, ...(paged ? ['--all'] : [])];
}

function flagArguments(flag: Flag, value: unknown): readonly string[] {
  if (value === undefined) return [];
  const { name, off, kind } = flag;
  if (kind === 'switch') return value === true ? [`--${name}`] : [];
  if (kind === 'boolean') return [value === true ? `--${name}` : `--${off ?? `no-${name}`}`];
  if (kind === 'secret') return [`--${name}-stdin`];
  return formatValues(flag, value).flatMap((text) => [`--${name}`, text]);
}

/** Formats the value of a flag. A repeatable flag has several. */
function formatValues({ kind, keys = [] }: Flag, value: unknown): readonly string[] {
  switch (kind) {
    case 'map':
    case 'switches':
      return Object.entries(Object(value)).map(([key, inner]) => `${key}=${inner}`);
    case 'changes':
      return Object.entries(Object(value)).map(
        ([key, change]) => `${key}=${valueAt(change, ['from'])}:${valueAt(change, ['to'])}`,
      );
    case 'entry':
    case 'entries':
      return [value].flat().map((entry) => formatEntry(keys, Object(entry)));
    case 'list':
      return [value].flat().map(String);
    default:
      return [typeof value === 'string' ? value : JSON.stringify(value)];
  }
}

/** Formats an object as `key=value` pairs, or as the value of its first field if it has no other. */
function formatEntry(keys: readonly Flag[], entry: Fields): string {
  const pairs = keys.flatMap(({ name, path }) => {
    const value = valueAt(entry, path);
    return value === undefined ? [] : [[name, value] as const];
  });
  const isComplete = pairs.length === Object.keys(entry).length;
  if (!isComplete || pairs.some(([, value]) => typeof value === 'object'))
    return JSON.stringify(entry);
  const texts = pairs.map(([name, value]) => `${name}=${quoteValue(String(value))}`);
  const [first, value = ''] = pairs.length === 1 ? pairs.flat().map(String) : [];
  const isEnough = first === keys[0]?.name && /^[^{=][^=]*$/.test(value);
  return isEnough ? value : texts.join();
}

function quoteValue(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Returns the unquoted arguments of a command line that passes its input as `--data`, for inputs
 * that flags express poorly.
 */
export function dataArguments(command: readonly string[], data: unknown): readonly string[] {
  return [...command, '--data', escapeJsonForTerminal(JSON.stringify(data))];
}
