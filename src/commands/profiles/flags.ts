import { FORMATS } from '../../output/format.ts';
import type { OptionDefinition, OptionsOf } from '../definition.ts';

const PROFILE_FLAGS = [
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
  { flags: '--org <id>', description: 'default organization', mayBeEmpty: true },
  { flags: '--default-output <format>', description: 'default output format', choices: FORMATS },
  { flags: '--protected', description: 'ask for the profile name before each write' },
  { flags: '--read-only', description: 'refuse all writes, and commands that hand out secrets' },
  {
    flags: '--approvals <n>',
    description: 'refuse all writes except plans that n signers approved',
  },
  {
    flags: '--signers <path>',
    description: 'file of the keys that may approve plans, in the format of ssh-keygen',
  },
  { flags: '--no-verify', description: 'save the credentials without verifying them' },
  {
    flags: '--insecure-storage',
    description: 'store the secrets in a private file instead of the keychain',
  },
] as const satisfies readonly OptionDefinition[];

export const ADD_FLAGS = [
  ...PROFILE_FLAGS,
  { flags: '--replace', description: 'replace an existing profile and its secrets' },
] as const satisfies readonly OptionDefinition[];

export const UPDATE_FLAGS = [
  ...PROFILE_FLAGS,
  { flags: '--no-protected', description: 'opposite of --protected', negates: 'protected' },
  { flags: '--no-read-only', description: 'opposite of --read-only', negates: 'read-only' },
  { flags: '--no-approvals', description: 'opposite of --approvals', negates: 'approvals' },
] as const satisfies readonly OptionDefinition[];

export type ProfileFlags = OptionsOf<typeof PROFILE_FLAGS>;
export type AddFlags = OptionsOf<typeof ADD_FLAGS>;
export type UpdateFlags = OptionsOf<typeof UPDATE_FLAGS>;
