import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const HISTORY_FLAGS = [
  { flags: '--limit <n>', description: 'number of commands to show, the latest ones (default: 50)' },
  { flags: '--since <when>', description: 'start of the period: 2h, 7d, or a time' },
] as const satisfies readonly OptionDefinition[];

export type HistoryFlags = OptionsOf<typeof HISTORY_FLAGS>;
