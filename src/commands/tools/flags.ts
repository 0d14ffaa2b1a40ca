import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const API_FLAGS = [
  { flags: '--data <json>', description: 'data as JSON, @file, or \'-\' for stdin; adds {"data": …} if necessary' },
  {
    flags: '--auth <kind>',
    description: "credentials to send (default: those of the path's operation, otherwise key)",
    choices: ['key', 'workspace', 'none'],
  },
  { flags: '--paginate', description: 'fetch all pages' },
] as const satisfies readonly OptionDefinition[];

export type ApiFlags = OptionsOf<typeof API_FLAGS>;

export const FOLDERS_TREE_FLAGS = [
  { flags: '--org <id>', description: 'organization ID (required)' },
  { flags: '--folder <id>', description: 'root folder of the tree (default: all folders)' },
  { flags: '--max-depth <n>', description: 'levels to show (default: all)' },
] as const satisfies readonly OptionDefinition[];

export type FoldersTreeFlags = OptionsOf<typeof FOLDERS_TREE_FLAGS>;
