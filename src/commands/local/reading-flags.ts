import type { OptionDefinition, OptionsOf } from '../definition.ts';
import { DEFAULT_LIST_LIMIT } from './flags.ts';

const ORGANIZATION = {
  flags: '--org <id>',
  description: 'only this organization (default: all)',
} as const;

export const LIST_RECORDS_FLAGS = [
  ORGANIZATION,
  {
    flags: '--match <text>',
    description: 'only records whose ID, name, or email contains this text',
  },
  {
    flags: '--limit <n>',
    description: `maximum number of records (default: ${DEFAULT_LIST_LIMIT})`,
  },
] as const satisfies readonly OptionDefinition[];

export type ListRecordsFlags = OptionsOf<typeof LIST_RECORDS_FLAGS>;
export const SHOW_RECORD_FLAGS = [ORGANIZATION] as const satisfies readonly OptionDefinition[];
export type ShowRecordFlags = OptionsOf<typeof SHOW_RECORD_FLAGS>;

export const EXPLAIN_ACCESS_FLAGS = [
  { flags: '--user <id>', description: 'user ID' },
  { flags: '--document <id>', description: 'document ID' },
  { flags: '--org <id>', description: 'organization of the document' },
  { flags: '--cases <file>', description: 'YAML or JSON file with access tests' },
] as const satisfies readonly OptionDefinition[];

export type ExplainAccessFlags = OptionsOf<typeof EXPLAIN_ACCESS_FLAGS>;
