import { ALLOW_SUSPICIOUS_FLAG, INPUT_FLAGS, MAP_FLAG } from '../bulk/input-flags.ts';
import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const DOSSIER_FLAGS = [
  { flags: '--user <id>', description: 'user ID of the person', required: true },
  {
    flags: '--out <path>',
    description: 'new folder for the files',
    required: true,
    file: 'folder',
  },
  {
    flags: '--org <id>',
    description: 'organization to read',
    many: true,
    required: true,
    suppliedBy: ['settings'],
  },
  {
    flags: '--org-file <path>',
    description:
      "file with organizations in a field organizationId: JSON, NDJSON, CSV, YAML, or .xlsx; '-' for stdin",
    file: 'input',
  },
  ...INPUT_FLAGS,
  MAP_FLAG,
  ALLOW_SUSPICIOUS_FLAG,
] as const satisfies readonly OptionDefinition[];

export type DossierFlags = OptionsOf<typeof DOSSIER_FLAGS>;
