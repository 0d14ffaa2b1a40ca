import { FORMATS } from '../../output/format.ts';
import type { OptionDefinition, OptionsOf } from '../definition.ts';

export const ADD_FLAGS = [
  { flags: '--api-key <id>', description: 'API key ID (not a secret)' },
  { flags: '--auth-token-stdin', description: 'read the auth token of the API key from stdin' },
  { flags: '--auth-token-file <path>', description: 'file with the auth token of the API key' },
  { flags: '--workspace-id <id>', description: 'workspace ID, for workspace commands' },
  {
    flags: '--workspace-auth-token-stdin',
    description: 'read the auth token of the workspace from stdin',
  },
  {
    flags: '--workspace-auth-token-file <path>',
    description: 'file with the auth token of the workspace',
  },
  { flags: '--header-prefix <prefix>', description: 'prefix of header names (default: x-svc-)' },
  { flags: '--org <id>', description: 'default organization' },
  { flags: '--default-output <format>', description: 'default output format', choices: FORMATS },
  { flags: '--protected', description: 'ask for the profile name before each write' },
  { flags: '--read-only', description: 'refuse all writes, and commands that hand out secrets' },
  { flags: '--no-verify', description: 'save the credentials without verifying them' },
  { flags: '--replace', description: 'replace an existing profile and its secrets' },
  {
    flags: '--insecure-storage',
    description: 'store the secrets in a private file instead of the keychain',
  },
] as const satisfies readonly OptionDefinition[];

export type AddFlags = OptionsOf<typeof ADD_FLAGS>;
