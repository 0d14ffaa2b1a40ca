import type { RecordRules } from '../../bulk/record-checker.ts';
import type { InputFormat } from '../../bulk/source/source.ts';
import type { OptionDefinition } from '../definition.ts';

export const FILE_FLAG = {
  flags: '--file <path>',
  description: "input file: JSON, NDJSON, CSV, or YAML; '-' for stdin (repeatable)",
  many: true,
} as const satisfies OptionDefinition;

export const INPUT_FORMAT_FLAG = {
  flags: '--input-format <format>',
  description: 'format of the input files',
  choices: ['json', 'ndjson', 'csv', 'yaml'] satisfies readonly InputFormat[],
} as const satisfies OptionDefinition;

export const DUPLICATES_FLAG = {
  flags: '--duplicates <which>',
  description: 'how to handle records with the same ID (default: fail)',
  choices: ['fail', 'first', 'last'] satisfies readonly RecordRules['duplicates'][],
} as const satisfies OptionDefinition;
