import { join } from 'node:path';
import type { Environment, Folders } from '../kernel/folders.ts';
import { SECRET_SETTINGS, type SecretSetting } from '../kernel/variables.ts';
import { checkFields, expectObject, readJsonFile, writeJsonFile } from './json-file.ts';
import type { Keychain } from './keychain.ts';
import { originOf, type Profile, type Secrets } from './profile.ts';

/**
 * The storage of secrets: a private file, and a keychain if there is one. The keychain is loaded on
 * first use.
 */
export interface SecretStorage {
  readonly file: SecretFile;
  readonly keychain: Keychain;
}

interface SecretFile {
  readonly path: string;
  /** @throws SvcError `local` if the file is damaged */
  readonly read: () => Promise<ReadonlyMap<string, SecretEntry>>;
  readonly write: (entries: ReadonlyMap<string, SecretEntry>) => Promise<void>;
}

export interface SecretStorageDependencies {
  readonly folders: Folders;
  readonly environment?: Environment;
  readonly signal?: AbortSignal;
  readonly keychain?: Keychain;
}

export function createSecretStorage({
  folders,
  environment = {},
  signal,
  keychain,
}: SecretStorageDependencies): SecretStorage {
  return {
    file: openSecretFile(folders),
    keychain: async (calls) => {
      if (keychain) return keychain(calls);
      const { createSystemKeychain } = await import('./keychain.ts');
      return createSystemKeychain(environment, signal ? { signal } : {})(calls);
    },
  };
}

export function accountOf(id: string, secret: SecretSetting): string {
  return `${id} ${secret}`;
}

/** Formats a secret for the keychain, prefixed with the origin that it may be sent to. */
export function bindToOrigin(origin: string, secret: string): string {
  return `${origin} ${secret}`;
}

/**
 * Withholds secrets that were saved for another origin.
 * @throws SvcError `local` if the file is damaged
 */
export async function readSecrets(
  { file, keychain }: SecretStorage,
  profile: Profile,
  names: readonly SecretSetting[] = SECRET_SETTINGS,
) {
  const { id, secrets: locations = {} } = profile;
  const origin = originOf(profile);
  /** The location is for messages: `keychain`, `file /home/ann/.config/svc/secrets.json`. */
  const secrets: {
    [Name in SecretSetting]?: { readonly value: string; readonly location: string };
  } = {};
  const reasons: string[] = [];
  if (id === undefined || origin === undefined) return { secrets, missingReason: undefined };
  const select = (name: SecretSetting, location: string, savedFor = '', value?: string): void => {
    if (value === undefined) reasons.push(`the ${location} no longer contains its ${name}`);
    else if (savedFor === origin) secrets[name] = { value, location };
    else
      reasons.push(
        `its ${name} was saved for ${savedFor || 'no base URL'}, but its base URL is now ${origin}`,
      );
  };
  const namesIn = (location: string) => names.filter((name) => locations[name] === location);
  const [inFile, inKeychain] = [namesIn('file'), namesIn('keychain')];
  const entry = inFile.length > 0 ? (await file.read()).get(id) : undefined;
  for (const name of inFile) select(name, `file ${file.path}`, entry?.origin, entry?.[name]);
  const calls = inKeychain.map((name) => ({ kind: 'get', account: accountOf(id, name) }) as const);
  const reply = calls.length > 0 ? await keychain(calls) : { values: [] };
  if ('fault' in reply) reasons.push(`the keychain ${reply.fault}`);
  else
    for (const [at, name] of inKeychain.entries())
      select(name, 'keychain', ...splitBoundSecret(reply.values[at]));
  const unknown = names.find(
    (name) => locations[name] !== undefined && !/^(file|keychain)$/.test(locations[name]),
  );
  if (unknown)
    reasons.push(
      `its ${unknown} is stored in a location that this version of svc does not support`,
    );
  return { secrets, missingReason: reasons[0] };
}

function splitBoundSecret(text: string | null | undefined) {
  const [, origin, secret] = /^(\S*) (.*)$/s.exec(text ?? '') ?? [];
  return [origin, secret] as const;
}

/** The stored secrets of a profile, and the only origin that they may be sent to. */
export interface SecretEntry extends Secrets {
  readonly origin: string;
}

function openSecretFile(folders: Folders): SecretFile {
  const path = join(folders.config, 'secrets.json');
  return {
    path,
    read: async () => (await readJsonFile(path, parseSecretEntries)) ?? new Map(),
    write: (entries) => writeJsonFile(path, Object.fromEntries(entries)),
  };
}

function parseSecretEntries(value: unknown): Map<string, SecretEntry> {
  const entries = Object.entries(expectObject(value, 'the content'));
  return new Map(entries.map(([id, secrets]) => [id, parseSecretEntry(secrets, id)]));
}

function parseSecretEntry(value: unknown, id: string): SecretEntry {
  const fields = expectObject(value, `the entry '${id}'`);
  checkFields(fields, 'string', [...SECRET_SETTINGS, 'origin'], `${id}.`);
  // An entry without an origin must not be sent anywhere.
  const { origin = '' }: Partial<SecretEntry> = fields;
  return { ...fields, origin };
}
