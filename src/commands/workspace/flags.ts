import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const CREATE_FLAGS = [
  {
    flags: '--save <profile>',
    description: 'save the workspace and its token in a new profile, instead of printing the token',
  },
] as const satisfies readonly OptionDefinition[];

export type CreateFlags = OptionsOf<typeof CREATE_FLAGS>;
