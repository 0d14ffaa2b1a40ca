import type { Folders } from '../kernel/folders.ts';
import { SECRET_SETTINGS, type SecretSetting } from '../kernel/variables.ts';
import type { KeychainCall } from './keychain-calls.ts';
import { originOf, type Profile, type Secrets } from './profile.ts';
import { type SavedProfiles, writeProfiles } from './profiles-file.ts';
import { accountOf, bindToOrigin, type SecretEntry, type SecretStorage } from './secrets.ts';

/**
 * Writes secrets before their profile, and deletes them with or after it. Saves accounts as
 * leftovers before their secrets.
 */
export class ProfileTransaction {
  saved: SavedProfiles;
  readonly #folders: Folders;
  readonly #storage: SecretStorage;

  constructor(profiles: SavedProfiles, folders: Folders, storage: SecretStorage) {
    this.saved = profiles;
    this.#folders = folders;
    this.#storage = storage;
  }

  async save(profiles: SavedProfiles): Promise<void> {
    await writeProfiles(this.#folders, profiles);
    this.saved = profiles;
  }

  /**
   * Saves a profile. With secrets, it must have an ID and a base URL.
   * @returns the location of the secrets, for messages: `keychain`,
   * `file /home/ann/.config/svc/secrets.json`; `undefined` without secrets
   */
  async put(name: string, profile: Profile, secrets: Secrets, insecure: boolean) {
    const { file } = this.#storage;
    const before = await file.read();
    const given = entriesOf(secrets);
    const suited = given.filter(([secret]) => !insecure && profile.secrets?.[secret] !== 'file');
    const problem = await this.#putIntoKeychain(profile, suited);
    const inKeychain = problem === undefined ? suited : [];
    const inFile = given.filter((entry) => !inKeychain.includes(entry));
    if (inFile.length > 0) await this.#putIntoFile(before, profile, Object.fromEntries(inFile));
    const locations = given.map((entry) => [
      entry[0],
      inFile.includes(entry) ? 'file' : 'keychain',
    ]);
    const all = { ...profile.secrets, ...Object.fromEntries(locations) };
    const saved: Profile = Object.keys(all).length > 0 ? { ...profile, secrets: all } : profile;
    try {
      await this.#replace(name, saved);
    } catch (error) {
      await file.write(before).catch(() => undefined); // an unused secret is harmless
      throw error;
    }
    await this.#pruneFile();
    const labels = [
      inKeychain.length > 0 && 'keychain',
      inFile.length > 0 && `file ${file.path}`,
    ].filter(Boolean);
    return { location: labels.join(', ') || undefined, keychainProblem: problem };
  }

  /**
   * Removes a profile.
   * @returns whether its secrets were also deleted: the keychain may not respond
   */
  async remove(name: string): Promise<boolean> {
    const { file } = this.#storage;
    const profile = this.saved.profiles.get(name);
    const entries = new Map(await file.read());
    if (entries.delete(profile?.id ?? '')) await file.write(entries);
    const accounts = accountsOf(profile);
    const problem = await deleteAccounts(this.#storage, accounts);
    const { current, leftovers } = this.saved;
    await this.save({
      current: current === name ? undefined : current,
      profiles: withoutProfile(this.saved, name),
      leftovers: problem === undefined ? leftovers : union(leftovers, accounts),
    });
    return problem === undefined;
  }

  /** Deletes leftover secrets from the keychain. If that fails, the next change tries again. */
  async deleteLeftovers(): Promise<void> {
    const { leftovers } = this.saved;
    const problem = await deleteAccounts(this.#storage, leftovers);
    if (leftovers.length > 0 && problem === undefined)
      await this.save({ ...this.saved, leftovers: [] });
  }

  /** Stores secrets in the keychain. @returns the problem, if the keychain failed */
  async #putIntoKeychain(
    profile: Profile,
    secrets: readonly NamedSecret[],
  ): Promise<string | undefined> {
    const calls = secrets.map(([name, secret]) => ({
      kind: 'set' as const,
      account: accountOf(profile.id ?? '', name),
      secret: bindToOrigin(originOf(profile) ?? '', secret),
    }));
    if (calls.length === 0) return undefined;
    const usedAccounts = new Set([...this.saved.profiles.values()].flatMap(accountsOf));
    const newAccounts = calls
      .map(({ account }) => account)
      .filter((account) => !usedAccounts.has(account));
    await this.save({ ...this.saved, leftovers: union(this.saved.leftovers, newAccounts) });
    return findKeychainProblem(this.#storage, calls);
  }

  async #putIntoFile(
    before: ReadonlyMap<string, SecretEntry>,
    profile: Profile,
    secrets: Secrets,
  ): Promise<void> {
    const [id, origin] = [profile.id ?? '', originOf(profile) ?? ''];
    const entry = before.get(id);
    // Secrets that were saved for another origin must not be sent to this one.
    const rest = entry?.origin === origin ? entry : {};
    await this.#storage.file.write(new Map(before).set(id, { ...rest, ...secrets, origin }));
  }

  async #replace(name: string, profile: Profile): Promise<void> {
    const { current, profiles, leftovers } = this.saved;
    const liveAccounts = new Set(accountsOf(profile));
    await this.save({
      current: current ?? name,
      profiles: new Map(profiles).set(name, profile),
      leftovers: union(leftovers, accountsOf(profiles.get(name))).filter(
        (account) => !liveAccounts.has(account),
      ),
    });
  }

  async #pruneFile(): Promise<void> {
    const { file } = this.#storage;
    const before = await file.read();
    const profiles = [...this.saved.profiles.values()];
    const owned = [...before].filter(([id]) => profiles.some((profile) => profile.id === id));
    if (owned.length < before.size) await file.write(new Map(owned));
  }
}

/** A lookup of a missing account, to test whether the keychain responds. */
export const PROBE_CALLS: readonly KeychainCall[] = [{ kind: 'get', account: 'probe' }];

/** Calls the keychain. @returns the problem, if the keychain failed */
export async function findKeychainProblem(
  { keychain }: SecretStorage,
  calls: readonly KeychainCall[],
) {
  if (calls.length === 0) return undefined;
  const reply = await keychain(calls);
  return 'fault' in reply ? reply.fault : undefined;
}

async function deleteAccounts(
  storage: SecretStorage,
  accounts: readonly string[],
): Promise<string | undefined> {
  return findKeychainProblem(
    storage,
    accounts.map((account) => ({ kind: 'delete', account })),
  );
}

type NamedSecret = readonly [SecretSetting, string];

function entriesOf(secrets: Secrets): readonly NamedSecret[] {
  return SECRET_SETTINGS.flatMap((name) => {
    const value = secrets[name];
    return value === undefined ? [] : [[name, value] as const];
  });
}

function accountsOf(profile: Profile | undefined): readonly string[] {
  const { id, secrets = {} } = profile ?? {};
  if (id === undefined) return [];
  return SECRET_SETTINGS.filter((name) => secrets[name] === 'keychain').map((name) =>
    accountOf(id, name),
  );
}

function union(first: readonly string[], second: readonly string[]): readonly string[] {
  return [...new Set([...first, ...second])];
}

export function withoutProfile({ profiles }: SavedProfiles, name: string): Map<string, Profile> {
  return new Map([...profiles].filter(([other]) => other !== name));
}
