import type { RecordRules } from '../../bulk/record-checker.ts';
import type { InputFormat } from '../../catalog/bulk-options.ts';
import { SvcError } from '../../kernel/errors.ts';
import { findIdProblem, quoteId } from '../../kernel/id-text.ts';
import type { OptionDefinition, OptionsOf } from '../definition.ts';
import { optionalProperty, parseWholeNumber } from '../options.ts';

export const FILE_FLAG = {
  flags: '--file <path>',
  description: "input file: JSON, NDJSON, CSV, YAML, or .xlsx; '-' for stdin",
  many: true,
  file: 'input',
} as const satisfies OptionDefinition;

/** Flags that describe input files. */
export const INPUT_FLAGS = [
  {
    flags: '--input-format <format>',
    description: 'format of the input files',
    choices: ['json', 'ndjson', 'csv', 'yaml', 'xlsx'] satisfies readonly InputFormat[],
  },
  {
    flags: '--encoding <label>',
    description:
      'encoding of input files without a byte order mark (default: UTF-8 or UTF-16, detected)',
  },
  {
    flags: '--sheet <name>',
    description: 'sheet of an .xlsx file (default: the first one)',
  },
  {
    flags: '--separator <character>',
    description: "separator of CSV cells, such as ';', '|', or tab (default: detected)",
  },
  {
    flags: '--header-row <n>',
    description: 'row of the header in CSV and .xlsx files (default: the first one with values)',
  },
] as const satisfies readonly OptionDefinition[];

/** @throws SvcError `usage` for more than one character */
function parseSeparator(given: string | undefined): string | undefined {
  const text = given === 'tab' || given === '\\t' ? '\t' : given;
  if (text === undefined || (text.length === 1 && !/["\r\n]/.test(text))) return text;
  throw new SvcError('usage', `--separator must be one character or "tab", got '${text}'`);
}

export const DUPLICATES_FLAG = {
  flags: '--duplicates <which>',
  description: 'how to handle records with the same ID (default: fail)',
  choices: ['fail', 'first', 'last'] satisfies readonly RecordRules['duplicates'][],
} as const satisfies OptionDefinition;

export const ALLOW_SUSPICIOUS_FLAG = {
  flags: '--allow-suspicious',
  description: "accept IDs that look like errors, such as 'null' or '1.2E+11'",
} as const satisfies OptionDefinition;

export type ColumnMap = readonly (readonly [column: string, field: string])[];

export const MAP_FLAG = {
  flags: '--map <column=field>',
  description: 'rename a column or field, or drop it with an empty name',
  many: true,
} as const satisfies OptionDefinition;

export const MAP_ORG_FLAG = {
  flags: '--map-org <from=to>',
  description: 'organization to use in place of one that the records name',
  many: true,
} as const satisfies OptionDefinition;

export const MAP_FILE_FLAG = {
  flags: '--map-file <path>',
  description: 'file with one mapping per line, in the form of --map; created if it does not exist',
  file: 'edited',
} as const satisfies OptionDefinition;

export const SAVE_MAP_FLAG = {
  flags: '--save-map',
  description: 'add the mappings of --map and of prompts to an existing --map-file',
} as const satisfies OptionDefinition;

/** The file that keeps a column map for later imports. */
export interface MapFileOptions {
  readonly mapFile?: string | undefined;
  /** Whether to change an existing file. */
  readonly saveMap?: boolean | undefined;
}

/** Returns the flags of a map, and their values. */
export function mapFlags(map: ColumnMap, name: '--map' | typeof MAP_ORG = '--map') {
  return map.flatMap((pair) => [name, pair.join('=')]);
}

/**
 * Parses the flags that describe input files and rename their columns.
 * @throws SvcError `usage`
 */
export function parseInputFlags(
  options: OptionsOf<readonly [...typeof INPUT_FLAGS, typeof MAP_FLAG]>,
) {
  const { inputFormat, encoding, sheet, separator, headerRow, map } = options;
  return {
    ...optionalProperty('inputFormat', inputFormat),
    ...optionalProperty('encoding', encoding),
    ...optionalProperty('sheet', sheet),
    ...optionalProperty('separator', parseSeparator(separator)),
    ...optionalProperty('headerRow', parseWholeNumber('--header-row', headerRow, 1)),
    ...optionalProperty('map', map && parseMappings(map, '--map')),
  };
}

/**
 * Parses the values of `--map-org`. Only the organizations to replace may have IDs that svc does not
 * accept.
 * @throws SvcError `usage` for a malformed pair, a repeated organization, or an invalid ID
 */
export function parseOrganizationMap(given: readonly string[] | undefined): ColumnMap | undefined {
  const pairs = given?.map((text) => parsePair(text, MAP_ORG));
  for (const [at, [from, to]] of pairs?.entries() ?? []) {
    const problem = to === '' ? 'must not be empty' : findIdProblem(to);
    if (problem !== undefined)
      throw new SvcError('usage', `${MAP_ORG}: the organization ${problem}`);
    if (pairs?.findIndex(([other]) => other === from) !== at)
      throw new SvcError('usage', `${MAP_ORG} contains the organization ${quoteId(from)} twice`);
  }
  return pairs;
}

const MAP_ORG = '--map-org';

/**
 * Parses mappings of columns to fields.
 * @throws SvcError `usage` for a malformed mapping or a repeated column
 */
export function parseMappings(given: readonly string[], name: string): ColumnMap {
  const pairs = given.map((text) => parsePair(text, name));
  const columns = new Set<string>();
  for (const [column] of pairs) {
    if (columns.has(column))
      throw new SvcError('usage', `${name} contains the column '${column}' twice`);
    columns.add(column);
  }
  return pairs;
}

const MAX_SHOWN = 100;

/** Cuts a text after a number of UTF-16 code units. */
export function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
}

/** Splits at the last equals sign, because a column may contain equals signs, but a field can't. */
function parsePair(text: string, name: string): readonly [column: string, field: string] {
  const equals = text.lastIndexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  const [form, example] =
    name === MAP_ORG
      ? ['from=to', `${MAP_ORG} 'acme =acme'`]
      : ['column=field', `${name === '--map' ? "--map 'Full name=name'" : 'Full name=name'}`];
  throw new SvcError('usage', `${name} must be ${form}, got '${shorten(text, MAX_SHOWN)}'`, {
    hint: `example: ${example}`,
  });
}
