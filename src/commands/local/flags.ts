import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const IMPORT_FLAGS = [
  { flags: '--env <name>', description: 'environment of a settings file' },
] as const satisfies readonly OptionDefinition[];

export type ImportFlags = OptionsOf<typeof IMPORT_FLAGS>;

export const EXEC_FLAGS = [
  { flags: '--snapshot <name>', description: 'run on a copy of this snapshot' },
  {
    flags: '--parallel-safe',
    description: 'run on a copy of the store, or of the snapshot that --snapshot names',
  },
] as const satisfies readonly OptionDefinition[];

export type ExecFlags = OptionsOf<typeof EXEC_FLAGS>;
