import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const LIST_FLAGS = [
  { flags: '--watch', description: 'show changes until no job is running' },
] as const satisfies readonly OptionDefinition[];

export type ListFlags = OptionsOf<typeof LIST_FLAGS>;

export const REPORT_FLAGS = [
  { flags: '--html', description: 'write HTML (required)' },
  { flags: '--file <path>', description: "output file, or '-' for stdout (default: <id>.html)" },
] as const satisfies readonly OptionDefinition[];

export type ReportFlags = OptionsOf<typeof REPORT_FLAGS>;
