import type { OptionDefinition, OptionsOf } from '../definition.ts';

const FILE_FLAG = {
  flags: '--file <path>',
  description: 'contract file (default: contract.json)',
  file: 'edited',
} as const;

export const RECORD_FLAGS = [FILE_FLAG] as const satisfies readonly OptionDefinition[];
export type RecordFlags = OptionsOf<typeof RECORD_FLAGS>;

export const PROBE_FLAGS = [
  FILE_FLAG,
  { flags: '--org <id>', description: 'organization to read' },
] as const satisfies readonly OptionDefinition[];
export type ProbeFlags = OptionsOf<typeof PROBE_FLAGS>;

export const DIFF_FLAGS = [
  {
    flags: '--known <path>',
    description: 'JSON output of an earlier diff, whose findings do not count',
  },
] as const satisfies readonly OptionDefinition[];
export type DiffFlags = OptionsOf<typeof DIFF_FLAGS>;
