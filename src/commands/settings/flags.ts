import { SETTINGS_KINDS } from '../../catalog/record-kinds.ts';
import type { OptionDefinition, OptionsOf } from '../definition.ts';
import { FORCE_FLAG } from '../options.ts';

const ONLY_FLAG = {
  flags: '--only <kind>',
  description: 'include only records of this kind',
  choices: SETTINGS_KINDS,
  many: true,
} as const;

const EXIT_CODE_FLAG = {
  flags: '--exit-code',
  description: 'exit with 20 if there are differences',
} as const;
const ENV_FLAG = {
  flags: '--env <name>',
  description: 'environment of the settings file',
} as const;

export const PULL_FLAGS = [
  {
    flags: '--all',
    description: 'also pull endpoints that neither the stack owns nor the file declares',
  },
  {
    flags: '-f, --file <path>',
    description: 'settings file, or folder of YAML files (default: svc.yaml)',
    file: 'edited',
  },
  ENV_FLAG,
  {
    flags: '--org <id>',
    description: 'pull the folders of this organization, and its documents with --only documents',
    many: true,
  },
  ONLY_FLAG,
] as const satisfies readonly OptionDefinition[];

export type PullFlags = OptionsOf<typeof PULL_FLAGS>;

const FILE_FLAGS = [
  {
    flags: '-f, --file <path>',
    description: "settings file, folder of YAML files, or '-' for stdin (default: svc.yaml)",
    file: 'input',
  },
  ENV_FLAG,
  ONLY_FLAG,
] as const satisfies readonly OptionDefinition[];

export const COMPARE_FLAGS = [
  {
    flags: '-f, --file <path>',
    description: 'settings file that defines the environments (default: svc.yaml)',
  },
  {
    flags: '--org <id>',
    description: 'compare the folders and documents of this organization (two services only)',
    many: true,
  },
  ONLY_FLAG,
  EXIT_CODE_FLAG,
] as const satisfies readonly OptionDefinition[];

export type CompareFlags = OptionsOf<typeof COMPARE_FLAGS>;

export const CHANGE_FLAGS = [
  ...FILE_FLAGS,
  {
    flags: '--prune',
    description: 'include deletions: endpoints of the stack that the file does not declare',
  },
  {
    flags: '--prune-limit <n>',
    description: 'maximum number of deletions (default: 10, and at most half of a kind)',
  },
] as const satisfies readonly OptionDefinition[];

export type ChangeFlags = OptionsOf<typeof CHANGE_FLAGS>;

const REPLACE_FLAG = {
  flags: '--allow-replace',
  description: 'allow replacing endpoints, which changes their IDs and signing secrets',
} as const;

const OUT_FLAG = {
  flags: '--out <path>',
  description: 'save the plan to a file, to apply it later',
  file: 'plan',
} as const;

const MEMBERS_FLAG = {
  flags: '--members <file>',
  description: 'members of the organizations, as written by svc local export',
  file: 'input',
} as const;

const EXPIRING_FLAG = {
  flags: '--expiring <duration>',
  description: 'list the declared access that ends within this time, such as 30d',
} as const;

export const PLAN_FLAGS = [
  ...CHANGE_FLAGS,
  MEMBERS_FLAG,
  EXPIRING_FLAG,
  OUT_FLAG,
  FORCE_FLAG,
  REPLACE_FLAG,
  EXIT_CODE_FLAG,
] as const satisfies readonly OptionDefinition[];

export type PlanFlags = OptionsOf<typeof PLAN_FLAGS>;
export const APPLY_FLAGS = [
  ...CHANGE_FLAGS,
  REPLACE_FLAG,
] as const satisfies readonly OptionDefinition[];
export type ApplyFlags = OptionsOf<typeof APPLY_FLAGS>;
export const APPROVE_FLAGS = [
  {
    flags: '--key <path>',
    description: 'SSH key to sign with (default: the first key in ~/.ssh, those in hardware first)',
  },
] as const satisfies readonly OptionDefinition[];
export type ApproveFlags = OptionsOf<typeof APPROVE_FLAGS>;
export const UNDO_FLAGS = [OUT_FLAG, FORCE_FLAG] as const satisfies readonly OptionDefinition[];
export type UndoFlags = OptionsOf<typeof UNDO_FLAGS>;
