import type { Environment, Folders } from '../kernel/folders.ts';
import { SECRET_NAMES, type SecretName } from '../kernel/variables.ts';
import type { Keychain } from './keychain.ts';
import { originOf, type Profile } from './profile.ts';
import { type SecretFile, secretFile } from './secret-file.ts';

/** Where secrets lie: a keychain where there is one, and a private file. The keychain is made at first use. */
export interface SecretPlaces {
  readonly file: SecretFile;
  readonly keychain: () => Promise<Keychain>;
}

export interface PlacesWorld {
  readonly folders: Folders;
  /** Where to find the keychain; without it there is none. */
  readonly environment?: Environment;
  readonly signal?: AbortSignal;
  /** Instead of this user's own. */
  readonly keychain?: Keychain;
}

export function secretPlaces({ folders, environment = {}, signal, keychain }: PlacesWorld): SecretPlaces {
  return {
    file: secretFile(folders),
    keychain: async () => {
      if (keychain) return keychain;
      const { systemKeychain } = await import('./keychain.ts');
      return systemKeychain(environment, signal ? { signal } : {});
    },
  };
}

export interface KeptSecret {
  readonly value: string;
  /** For people: `keychain`, `file /home/ann/.config/svc/secrets.json`. */
  readonly place: string;
}

/** What could be read of a profile's secrets. */
export interface FoundSecrets {
  readonly secrets: { readonly [Name in SecretName]?: KeptSecret };
  /** Why one that the profile has is not among them. */
  readonly withheld?: string;
}

/** The name of a secret in the keychain. */
export function accountOf(id: string, secret: SecretName): string {
  return `${id} ${secret}`;
}

/** A secret as the keychain holds it: behind the origin that it may go to. */
export function boundSecret(origin: string, secret: string): string {
  return `${origin} ${secret}`;
}

/**
 * The wanted secrets of a profile, from where it says that they lie. One that was kept for another origin stays where
 * it is, whatever the profile's address says now.
 * @throws SvcError `local` when the file is damaged.
 */
export async function readSecrets(
  { file, keychain }: SecretPlaces,
  profile: Profile,
  wanted: readonly SecretName[] = SECRET_NAMES,
): Promise<FoundSecrets> {
  const { id, secrets: places = {} } = profile;
  const origin = originOf(profile);
  if (id === undefined || origin === undefined) return { secrets: {} };
  const lyingIn = (place: string) => wanted.filter((name) => places[name] === place);
  const stranger = wanted.find((name) => places[name] !== undefined && !/^(file|keychain)$/.test(places[name]));
  const found = await Promise.all([
    fromFile(file, { id, origin }, lyingIn('file')),
    fromKeychain(keychain, { id, origin }, lyingIn('keychain')),
  ]);
  const reasons = found.flatMap(({ withheld }) => withheld ?? []);
  if (stranger) reasons.push(`its ${stranger} lies in a place that this version of svc does not know`);
  return {
    secrets: { ...found[0].secrets, ...found[1].secrets },
    ...(reasons[0] !== undefined && { withheld: reasons[0] }),
  };
}

interface Owner {
  readonly id: string;
  readonly origin: string;
}

async function fromFile(file: SecretFile, { id, origin }: Owner, names: readonly SecretName[]): Promise<FoundSecrets> {
  if (names.length === 0) return { secrets: {} };
  const entry = (await file.read()).get(id);
  const values = names.map((name) => {
    const value = entry?.[name];
    return value === undefined ? undefined : { origin: entry?.origin ?? '', value };
  });
  return collected(names, values, { place: `file ${file.path}`, origin });
}

async function fromKeychain(
  keychain: SecretPlaces['keychain'],
  { id, origin }: Owner,
  names: readonly SecretName[],
): Promise<FoundSecrets> {
  if (names.length === 0) return { secrets: {} };
  const [ask, { KeychainFault }] = await Promise.all([keychain(), import('./keychain.ts')]);
  try {
    const kept = await ask(names.map((name) => ({ kind: 'get', account: accountOf(id, name) })));
    return collected(names, kept.map(unbound), { place: 'keychain', origin });
  } catch (error) {
    if (!(error instanceof KeychainFault)) throw error;
    return { secrets: {}, withheld: `the keychain ${error.message}` };
  }
}

interface Bound {
  readonly origin: string;
  readonly value: string;
}

function unbound(text: string | null): Bound | undefined {
  const [, origin, value] = /^(\S*) (.*)$/s.exec(text ?? '') ?? [];
  return origin === undefined || value === undefined ? undefined : { origin, value };
}

/** What may go to an origin of the values of these names, and what keeps the first of the others from it. */
function collected(
  names: readonly SecretName[],
  values: readonly (Bound | undefined)[],
  { place, origin }: { readonly place: string; readonly origin: string },
): FoundSecrets {
  const secrets: { [Name in SecretName]?: KeptSecret } = {};
  let withheld: string | undefined;
  for (const [index, name] of names.entries()) {
    const found = values[index];
    if (found?.origin === origin) secrets[name] = { value: found.value, place };
    else if (!found) withheld ??= `the ${place} does not hold its ${name} any more`;
    else withheld ??= `its ${name} was saved for ${found.origin || 'no address'}, and it leads to ${origin} now`;
  }
  return { secrets, ...(withheld !== undefined && { withheld }) };
}
