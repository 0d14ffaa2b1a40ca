import { join } from 'node:path';
import { SvcError } from '../kernel/errors.ts';
import type { Folders } from '../kernel/folders.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { checkFields, fieldsOf, readJsonFile, writeJsonFile } from './json-file.ts';
import type { Profile } from './profile.ts';

/** All profiles, and the name of the one that is used when none is named. */
export interface ProfileBook {
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
}

/** @throws SvcError `local` when the file is damaged. */
export async function readProfiles(folders: Folders): Promise<ProfileBook> {
  return (await readJsonFile(profilesPath(folders), bookShape)) ?? { current: undefined, profiles: new Map() };
}

/** Only under the lock that `permit` asks. */
export async function writeProfiles(folders: Folders, book: ProfileBook, permit: () => Promise<void>): Promise<void> {
  const { current, profiles } = book;
  const fields = { ...(current !== undefined && { current }), profiles: Object.fromEntries(profiles) };
  await writeJsonFile(profilesPath(folders), fields, permit);
}

/** A profile by its name. @throws SvcError `not_found` */
export function findProfile(book: ProfileBook, name: string): Profile {
  const profile = book.profiles.get(name);
  if (profile) return profile;
  throw new SvcError('not_found', `there is no profile '${name}'`, { hint: hintForName(book, name) });
}

/** What to do about the name of a profile that does not exist. */
export function hintForName({ profiles }: ProfileBook, name: string): string {
  return profiles.size > 0
    ? didYouMean(name, [...profiles.keys()])
    : 'there are none yet: svc profiles add <name> --base-url <url> --api-key <id>';
}

function profilesPath(folders: Folders): string {
  return join(folders.config, 'profiles.json');
}

function bookShape(value: unknown): ProfileBook {
  const document = fieldsOf(value, 'it');
  checkFields(document, 'string', ['current'], '');
  const profiles = Object.entries(fieldsOf(document['profiles'], "'profiles'"));
  return {
    current: document['current'] as string | undefined,
    profiles: new Map(profiles.map(([name, profile]) => [name, profileShape(profile, name)])),
  };
}

const TEXTS = ['baseUrl', 'headerPrefix', 'apiKey', 'workspaceId', 'org', 'output'] as const;

function profileShape(value: unknown, name: string): Profile {
  const fields = fieldsOf(value, `the profile '${name}'`);
  checkFields(fields, 'string', TEXTS, `${name}.`);
  checkFields(fields, 'boolean', ['protected'], `${name}.`);
  return fields;
}
