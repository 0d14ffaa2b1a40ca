import { join } from 'node:path';
import {
  type Hint,
  hint,
  SvcError,
  stepWithPlaceholder,
  systemErrorCode,
} from '../kernel/errors.ts';
import type { Folders } from '../kernel/folders.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { SECRET_SETTINGS } from '../kernel/variables.ts';
import {
  checkFields,
  expectObject,
  FileFormatError,
  readJsonFile,
  writeJsonFile,
} from './json-file.ts';
import type { Profile } from './profile.ts';
import { checkReadOnly } from './read-only.ts';
import { checkApprovals } from './required-approvals.ts';

export interface SavedProfiles {
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
  /**
   * Keychain accounts that may hold a secret without a profile. Each account is saved here before
   * its secret is written.
   */
  readonly leftovers: readonly string[];
}

const NO_PROFILES: SavedProfiles = { current: undefined, profiles: new Map(), leftovers: [] };

/**
 * Reads the profiles for a command that may use one.
 * @throws SvcError `local` if the file is damaged, or if it cannot be read and is not optional
 */
export async function readProfiles(folders: Folders): Promise<SavedProfiles> {
  const { ignoreUnreadableProfiles: ignore } = folders;
  if (!ignore) return readSavedProfiles(folders);
  return readSavedProfiles(folders).catch(async (error: unknown) => {
    // A damaged file has no system error.
    if (!(error instanceof SvcError) || systemErrorCode(error.cause) === undefined) throw error;
    await ignore(error);
    return NO_PROFILES;
  });
}

/**
 * Reads the profiles to list or change them.
 * @throws SvcError `local` if the file is damaged or cannot be read
 */
export async function readSavedProfiles(folders: Folders): Promise<SavedProfiles> {
  return (await readJsonFile(profilesPathOf(folders), parseProfiles)) ?? NO_PROFILES;
}

export async function writeProfiles(folders: Folders, saved: SavedProfiles): Promise<void> {
  const { current, profiles, leftovers } = saved;
  const fields = {
    ...(current !== undefined && { current }),
    profiles: Object.fromEntries(profiles),
  };
  await writeJsonFile(
    profilesPathOf(folders),
    leftovers.length > 0 ? { ...fields, leftovers } : fields,
  );
}

export function findProfile(saved: SavedProfiles, name: string): Profile {
  const profile = saved.profiles.get(name);
  if (profile) return profile;
  throw new SvcError('not_found', `profile '${name}' does not exist`, {
    hint: createUnknownProfileHint(saved, name),
  });
}

export function createUnknownProfileHint({ profiles }: SavedProfiles, name: string): string | Hint {
  return profiles.size > 0
    ? didYouMean(name, [...profiles.keys()])
    : hint`add a profile: ${stepWithPlaceholder('configure', ['login'], '<name> --base-url <url> --api-key <id>')}`;
}

function profilesPathOf(folders: Folders): string {
  return join(folders.config, 'profiles.json');
}

function parseProfiles(value: unknown): SavedProfiles {
  const document = expectObject(value, 'the content');
  checkFields(document, 'string', ['current'], '');
  const profiles = Object.entries(expectObject(document['profiles'], "'profiles'"));
  return {
    current: document['current'] as string | undefined,
    profiles: new Map(profiles.map(([name, profile]) => [name, parseProfile(profile, name)])),
    leftovers: parseLeftovers(document['leftovers'] ?? []),
  };
}

function parseLeftovers(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((account) => typeof account === 'string')) return value;
  throw new FileFormatError("'leftovers' is not a list of strings");
}

const TEXT_FIELDS = [
  'baseUrl',
  'headerPrefix',
  'apiKey',
  'workspaceId',
  'caFile',
  'clientCert',
  'clientKey',
  'org',
  'output',
  'authTokenReplacedAt',
  'id',
] as const;

function parseProfile(value: unknown, name: string): Profile {
  const fields = expectObject(value, `the profile '${name}'`);
  checkFields(fields, 'string', TEXT_FIELDS, `${name}.`);
  checkFields(fields, 'boolean', ['protected'], `${name}.`);
  checkReadOnly(fields['readOnly'], `profile '${name}': readOnly`);
  checkApprovals(fields, name);
  if (Object.hasOwn(fields, 'secrets')) {
    const locations = expectObject(fields['secrets'], `'${name}.secrets'`);
    checkFields(locations, 'string', SECRET_SETTINGS, `${name}.secrets.`);
  }
  return fields;
}
