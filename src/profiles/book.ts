import { join } from 'node:path';
import { SvcError } from '../kernel/errors.ts';
import type { Folders } from '../kernel/folders.ts';
import { type Hint, hint, template } from '../kernel/hint.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { SECRET_NAMES } from '../kernel/variables.ts';
import { checkFields, fieldsOf, readJsonFile, ShapeError, writeJsonFile } from './json-file.ts';
import type { Profile } from './profile.ts';

/** All profiles, and the name of the one that is used when none is named. */
export interface ProfileBook {
  readonly current: string | undefined;
  readonly profiles: ReadonlyMap<string, Profile>;
  /**
   * Accounts of the keychain that may hold a secret which no profile has any more, or not yet. They are written down
   * before, so that a kill at any moment leaves nothing there that nobody knows of.
   */
  readonly leftovers: readonly string[];
}

const EMPTY: ProfileBook = { current: undefined, profiles: new Map(), leftovers: [] };

/** @throws SvcError `local` when the file is damaged. */
export async function readProfiles(folders: Folders): Promise<ProfileBook> {
  return (await readJsonFile(profilesPath(folders), bookShape)) ?? EMPTY;
}

/** Only under the lock of the profiles. */
export async function writeProfiles(folders: Folders, book: ProfileBook): Promise<void> {
  const { current, profiles, leftovers } = book;
  const fields = {
    ...(current !== undefined && { current }),
    profiles: Object.fromEntries(profiles),
    ...(leftovers.length > 0 && { leftovers }),
  };
  await writeJsonFile(profilesPath(folders), fields);
}

/** A profile by its name. @throws SvcError `not_found` */
export function findProfile(book: ProfileBook, name: string): Profile {
  const profile = book.profiles.get(name);
  if (profile) return profile;
  throw new SvcError('not_found', `there is no profile '${name}'`, { hint: hintForName(book, name) });
}

/** What to do about the name of a profile that does not exist. */
export function hintForName({ profiles }: ProfileBook, name: string): string | Hint {
  return profiles.size > 0
    ? didYouMean(name, [...profiles.keys()])
    : hint`there are none yet: ${template('configure', ['profiles', 'add'], '<name> --base-url <url> --api-key <id>')}`;
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
    leftovers: leftoversShape(document['leftovers'] ?? []),
  };
}

function leftoversShape(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((account) => typeof account === 'string')) return value;
  throw new ShapeError("'leftovers' is no list of texts");
}

const TEXTS = ['baseUrl', 'headerPrefix', 'apiKey', 'workspaceId', 'org', 'output', 'id'] as const;

function profileShape(value: unknown, name: string): Profile {
  const fields = fieldsOf(value, `the profile '${name}'`);
  checkFields(fields, 'string', TEXTS, `${name}.`);
  checkFields(fields, 'boolean', ['protected'], `${name}.`);
  if (Object.hasOwn(fields, 'secrets')) {
    const places = fieldsOf(fields['secrets'], `'${name}.secrets'`);
    checkFields(places, 'string', SECRET_NAMES, `${name}.secrets.`);
  }
  return fields;
}
