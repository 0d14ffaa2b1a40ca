import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const DOCTOR_FLAGS = [
  { flags: '--org <id>', description: 'organization to use when checking advanced queries' },
] as const satisfies readonly OptionDefinition[];

export type DoctorFlags = OptionsOf<typeof DOCTOR_FLAGS>;
