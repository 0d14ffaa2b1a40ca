import type { OptionDefinition, OptionsOf } from '../definition.ts';
import type { FlagDescription } from '../options.ts';
import {
  ALLOW_SUSPICIOUS_FLAG,
  DUPLICATES_FLAG,
  FILE_FLAG,
  INPUT_FLAGS,
  MAP_FILE_FLAG,
  MAP_FLAG,
  MAP_ORG_FLAG,
  SAVE_MAP_FLAG,
} from './input-flags.ts';

const ORG_FLAG = {
  flags: '--org <id>',
  description: 'organization that all records must belong to',
} as const satisfies OptionDefinition;

/** Creates the flags of a `validate` command. Omits flags with a single choice. */
export function validateFlags(
  verbs: readonly string[],
  versions: readonly string[],
  hasOrganization: boolean,
) {
  return [
    { ...FILE_FLAG, required: true },
    ...INPUT_FLAGS,
    ...choice('--for <command>', `command that the records are for (default: ${verbs[0]})`, verbs),
    ...choice(
      '--api-version <v>',
      `API version of the call (default: ${versions.at(-1)})`,
      versions,
    ).map((flag) => ({
      ...flag,
      isHidden: true as const,
    })),
    ...(hasOrganization ? [ORG_FLAG] : []),
    DUPLICATES_FLAG,
    ALLOW_SUSPICIOUS_FLAG,
    MAP_FLAG,
    ...(hasOrganization ? [MAP_ORG_FLAG] : []),
    MAP_FILE_FLAG,
    SAVE_MAP_FLAG,
    {
      flags: '--format <form>',
      description: 'format of the findings (default: text)',
      choices: ['text', 'github'],
    },
  ] as const satisfies readonly OptionDefinition[];
}

export type ValidateFlags = OptionsOf<ReturnType<typeof validateFlags>>;

function choice<const Flags extends string>(
  flags: Flags,
  description: FlagDescription,
  choices: readonly string[],
) {
  return choices.length > 1 ? [{ flags, description, choices }] : [];
}
