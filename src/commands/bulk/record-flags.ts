import type { InputFormat } from '../../bulk/source/record.ts';
import type { RecordRules } from '../../bulk/survey.ts';
import type { OptionDefinition } from '../definition.ts';

/** Where records come from; several files are read one after another. */
export const FILE_FLAG: OptionDefinition = {
  flags: '--file <path>',
  describes: "records: JSON, NDJSON, CSV or YAML; '-' is stdin; several times for several files",
  many: true,
};

export const INPUT_FORMAT_FLAG: OptionDefinition = {
  flags: '--input-format <format>',
  describes: 'format of the files',
  choices: ['json', 'ndjson', 'csv', 'yaml'] satisfies InputFormat[],
};

export const DUPLICATES_FLAG: OptionDefinition = {
  flags: '--duplicates <which>',
  describes: 'records with one id (fail)',
  choices: ['fail', 'first', 'last'] satisfies RecordRules['duplicates'][],
};
