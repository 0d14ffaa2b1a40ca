import type { Environment, Folders } from '../kernel/folders.ts';
import { SECRET_SETTINGS, type SecretSetting } from '../kernel/variables.ts';
import type { Keychain } from './keychain.ts';
import type { KeychainCall, KeychainReply } from './keychain-calls.ts';
import { originOf, type Profile } from './profile.ts';
import { openSecretFile, type SecretFile } from './secret-file.ts';

/** The storage of secrets: a private file, and a keychain if there is one. The keychain is loaded on first use. */
export type SecretStorage = ReturnType<typeof createSecretStorage>;

export interface SecretStorageDependencies {
  readonly folders: Folders;
  readonly environment?: Environment;
  readonly signal?: AbortSignal;
  readonly keychain?: Keychain;
}

export function createSecretStorage({ folders, environment = {}, signal, keychain }: SecretStorageDependencies) {
  return {
    file: openSecretFile(folders),
    keychain: async (calls: readonly KeychainCall[]): Promise<KeychainReply> => {
      if (keychain) return keychain(calls);
      const { createSystemKeychain } = await import('./keychain.ts');
      return createSystemKeychain(environment, signal ? { signal } : {})(calls);
    },
  };
}

export interface StoredSecret {
  readonly value: string;
  /** The location, for messages: `keychain`, `file /home/ann/.config/svc/secrets.json`. */
  readonly location: string;
}

export interface FoundSecrets {
  readonly secrets: { readonly [Name in SecretSetting]?: StoredSecret };
  readonly missingReason?: string;
}

export function accountOf(id: string, secret: SecretSetting): string {
  return `${id} ${secret}`;
}

/** Formats a secret for the keychain, prefixed with the origin that it may be sent to. */
export function bindToOrigin(origin: string, secret: string): string {
  return `${origin} ${secret}`;
}

/** Withholds secrets that were saved for another origin. @throws SvcError `local` if the file is damaged */
export async function readSecrets(
  { file, keychain }: SecretStorage,
  profile: Profile,
  names: readonly SecretSetting[] = SECRET_SETTINGS,
): Promise<FoundSecrets> {
  const { id, secrets: locations = {} } = profile;
  const origin = originOf(profile);
  if (id === undefined || origin === undefined) return { secrets: {} };
  const namesIn = (location: string) => names.filter((name) => locations[name] === location);
  const unknown = names.find((name) => locations[name] !== undefined && !/^(file|keychain)$/.test(locations[name]));
  const found = await Promise.all([
    readFromFile(file, { id, origin }, namesIn('file')),
    readFromKeychain(keychain, { id, origin }, namesIn('keychain')),
  ]);
  const reasons = found.flatMap(({ missingReason }) => missingReason ?? []);
  if (unknown) reasons.push(`its ${unknown} is stored in a location that this version of svc does not support`);
  return {
    secrets: { ...found[0].secrets, ...found[1].secrets },
    ...(reasons[0] !== undefined && { missingReason: reasons[0] }),
  };
}

interface SecretOwner {
  readonly id: string;
  readonly origin: string;
}

async function readFromFile(file: SecretFile, { id, origin }: SecretOwner, names: readonly SecretSetting[]) {
  if (names.length === 0) return { secrets: {} };
  const entry = (await file.read()).get(id);
  const values = names.map((name) => {
    const value = entry?.[name];
    return value === undefined ? undefined : { origin: entry?.origin ?? '', value };
  });
  return selectForOrigin(names, values, `file ${file.path}`, origin);
}

async function readFromKeychain(
  keychain: SecretStorage['keychain'],
  { id, origin }: SecretOwner,
  names: readonly SecretSetting[],
): Promise<FoundSecrets> {
  if (names.length === 0) return { secrets: {} };
  const reply = await keychain(names.map((name) => ({ kind: 'get', account: accountOf(id, name) })));
  if ('fault' in reply) return { secrets: {}, missingReason: `the keychain ${reply.fault}` };
  return selectForOrigin(names, reply.values.map(parseBoundSecret), 'keychain', origin);
}

interface OriginBoundSecret {
  readonly origin: string;
  readonly value: string;
}

function parseBoundSecret(text: string | null): OriginBoundSecret | undefined {
  const [, origin, value] = /^(\S*) (.*)$/s.exec(text ?? '') ?? [];
  return origin === undefined || value === undefined ? undefined : { origin, value };
}

function selectForOrigin(
  names: readonly SecretSetting[],
  values: readonly (OriginBoundSecret | undefined)[],
  location: string,
  origin: string,
): FoundSecrets {
  const secrets: { [Name in SecretSetting]?: StoredSecret } = {};
  let missingReason: string | undefined;
  for (const [index, name] of names.entries()) {
    const found = values[index];
    if (found?.origin === origin) secrets[name] = { value: found.value, location };
    else if (!found) missingReason ??= `the ${location} no longer contains its ${name}`;
    else missingReason ??= `its ${name} was saved for ${found.origin || 'no base URL'}, but its base URL is now ${origin}`;
  }
  return { secrets, ...(missingReason !== undefined && { missingReason }) };
}
