import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const REPORT_FLAGS = [
  { flags: '--html', description: 'write HTML (required)' },
  { flags: '--file <path>', description: "output file, or '-' for stdout (default: <id>.html)" },
] as const satisfies readonly OptionDefinition[];

export type ReportFlags = OptionsOf<typeof REPORT_FLAGS>;
