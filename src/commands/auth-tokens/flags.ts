import type { OptionDefinition, OptionsOf } from '../definition.ts';
import { FORCE_FLAG } from '../options.ts';

export const RESET_FLAGS = [
  {
    flags: '--save',
    description: 'save the new token in the selected profile, instead of printing it',
  },
  {
    flags: '--to <exec:command>',
    description: 'shell command that gets the new token on stdin, instead of printing it',
  },
  {
    flags: '--output-file <path>',
    description: 'new private file for the token, instead of printing it',
    file: 'token',
  },
  FORCE_FLAG,
  { flags: '--print', description: 'also print the token, if it is delivered elsewhere' },
  {
    flags: '--github',
    description: "mask the token and set it as the output 'token' of the GitHub Actions step",
  },
  {
    flags: '--ensure',
    description: 'repeat the reset until a response with a usable token arrives',
  },
] as const satisfies readonly OptionDefinition[];

export type ResetFlags = OptionsOf<typeof RESET_FLAGS>;

export const RECOVER_FLAGS = [
  {
    flags: '--save',
    description: 'save the new token in the selected profile, and delete its record',
  },
  { flags: '--remove <id>', description: 'delete a record and the token in it' },
  { flags: '--no-check', description: 'do not call the service to check old tokens' },
] as const satisfies readonly OptionDefinition[];

export type RecoverFlags = OptionsOf<typeof RECOVER_FLAGS>;
