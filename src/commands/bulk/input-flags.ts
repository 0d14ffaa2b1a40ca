import type { RecordRules } from '../../bulk/record-checker.ts';
import type { InputFormat } from '../../bulk/source/source.ts';
import { SvcError } from '../../kernel/errors.ts';
import type { OptionDefinition } from '../definition.ts';

export const FILE_FLAG = {
  flags: '--file <path>',
  description: "input file: JSON, NDJSON, CSV, or YAML; '-' for stdin",
  many: true,
} as const satisfies OptionDefinition;

export const INPUT_FORMAT_FLAG = {
  flags: '--input-format <format>',
  description: 'format of the input files',
  choices: ['json', 'ndjson', 'csv', 'yaml'] satisfies readonly InputFormat[],
} as const satisfies OptionDefinition;

export const ENCODING_FLAG = {
  flags: '--encoding <label>',
  description: 'encoding of input files without a byte order mark (default: utf-8)',
} as const satisfies OptionDefinition;

export const DUPLICATES_FLAG = {
  flags: '--duplicates <which>',
  description: 'how to handle records with the same ID (default: fail)',
  choices: ['fail', 'first', 'last'] satisfies readonly RecordRules['duplicates'][],
} as const satisfies OptionDefinition;

export type ColumnMap = readonly (readonly [column: string, field: string])[];

export const MAP_FLAG = {
  flags: '--map <column=field>',
  description: 'rename a column or field, or drop it with an empty name',
  many: true,
} as const satisfies OptionDefinition;

/**
 * Parses the values of `--map`.
 * @throws SvcError `usage` for a malformed pair or a repeated column
 */
export function parseColumnMap(given: readonly string[] | undefined): ColumnMap | undefined {
  if (given === undefined) return undefined;
  const pairs = given.map(parsePair);
  for (const [at, [column]] of pairs.entries()) {
    if (pairs.findIndex(([other]) => other === column) === at) continue;
    throw new SvcError('usage', `--map contains the column '${column}' twice`);
  }
  return pairs;
}

/** Splits at the last equals sign, because a column may contain equals signs, but a field can't. */
function parsePair(text: string): readonly [column: string, field: string] {
  const equals = text.lastIndexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw new SvcError('usage', `--map must be column=field, got '${text}'`, {
    hint: `example: --map 'Full name=name'`,
  });
}
