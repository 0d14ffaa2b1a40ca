import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { createPrivateFolder } from '../kernel/files.ts';
import { withLock } from '../kernel/lock.ts';
import { SECRET_SETTINGS } from '../kernel/variables.ts';
import { originOf, type Profile, type Secrets } from './profile.ts';
import { findProfile, readProfiles, type SavedProfiles, writeProfiles } from './profiles-file.ts';
import { createSecretStorage, readSecrets, type SecretStorageDependencies } from './secrets.ts';
import { findKeychainProblem, PROBE_CALLS, ProfileTransaction, type SecretsSaveResult, withoutProfile } from './transaction.ts';

/** Maximum time in milliseconds to wait for another process that is changing the profiles. */
const LOCK_TIMEOUT = 20_000;

/** Changes profiles and secrets under one lock. After a crash, the next change deletes secrets without a profile. */
export interface ProfileStore {
  read(): Promise<SavedProfiles>;
  /** The first profile becomes the current one. @throws SvcError `already_exists`, unless `replace` is set */
  add(name: string, profile: Profile, secrets: Secrets, options?: AddOptions): Promise<SecretsSaveResult>;
  /** Makes a profile the current one. @throws SvcError `not_found` */
  use(name: string): Promise<void>;
  /** Each secret stays in its location. @throws SvcError `not_found`; `usage` for a profile without a base URL */
  edit(
    name: string,
    change: (profile: Profile, secrets: Secrets) => { readonly profile: Profile; readonly secrets: Secrets },
  ): Promise<SecretsSaveResult>;
  /** Renames a profile. @throws SvcError `not_found`, `already_exists` */
  rename(from: string, to: string): Promise<void>;
  /** Removes a profile. @returns whether its secrets were also deleted @throws SvcError `not_found` */
  remove(name: string): Promise<boolean>;
}

interface AddOptions {
  readonly replace?: boolean;
  readonly insecure?: boolean;
}

export interface ProfileStoreDependencies extends SecretStorageDependencies {
  readonly clock: Clock;
  readonly lockTimeout?: number;
}

export function createProfileStore(dependencies: ProfileStoreDependencies): ProfileStore {
  const { folders, clock, signal, lockTimeout = LOCK_TIMEOUT } = dependencies;
  const storage = createSecretStorage(dependencies);
  const locking = { clock, timeout: lockTimeout, ...(signal && { signal }) };

  /** Runs one change under the lock, and then deletes leftover secrets of this or an interrupted change. */
  async function change<Value>(edit: (change: ProfileTransaction) => Promise<Value>): Promise<Value> {
    await createPrivateFolder(folders.config);
    return withLock(join(folders.config, 'profiles.lock'), locking, async () => {
      const save = (saved: SavedProfiles) => writeProfiles(folders, saved);
      const transaction = new ProfileTransaction(await readProfiles(folders), { storage, save });
      const value = await edit(transaction);
      await transaction.deleteLeftovers();
      return value;
    });
  }

  return {
    read: () => readProfiles(folders),
    add: async (name, profile, secrets, { replace = false, insecure = false } = {}) => {
      const hasSecrets = SECRET_SETTINGS.some((secret) => secrets[secret] !== undefined);
      // Tests the keychain before taking the lock, so that a keychain that hangs does not block other processes.
      const [id, problem] = hasSecrets
        ? [randomUUID(), insecure ? undefined : await findKeychainProblem(storage, PROBE_CALLS)]
        : [];
      return change(async (transaction) => {
        if (!replace) assertNameAvailable(transaction.saved, name);
        const identified = { ...profile, ...(id && { id }) };
        const result = await transaction.put(name, identified, secrets, insecure || problem !== undefined);
        return { ...result, keychainProblem: problem ?? result.keychainProblem };
      });
    },
    use: (name) =>
      change(async (transaction) => {
        findProfile(transaction.saved, name);
        await transaction.save({ ...transaction.saved, current: name });
      }),
    edit: (name, edit) =>
      change(async (transaction) => {
        const before = findProfile(transaction.saved, name);
        const { secrets: found } = await readSecrets(storage, before);
        const values = SECRET_SETTINGS.map((secret) => [secret, found[secret]?.value]);
        const { profile, secrets } = edit(before, Object.fromEntries(values));
        if (originOf(profile) === undefined) throw new SvcError('usage', `profile '${name}' has no base URL`);
        return transaction.put(name, { id: randomUUID(), ...profile }, secrets, false);
      }),
    rename: (from, to) =>
      change(async (transaction) => {
        const { saved } = transaction;
        const profile = findProfile(saved, from);
        assertNameAvailable(saved, to);
        const current = saved.current === from ? to : saved.current;
        await transaction.save({ ...saved, current, profiles: withoutProfile(saved, from).set(to, profile) });
      }),
    remove: (name) =>
      change(async (transaction) => {
        findProfile(transaction.saved, name);
        return transaction.remove(name);
      }),
  };
}

export function assertNameAvailable(saved: SavedProfiles, name: string): void {
  if (!saved.profiles.has(name)) return;
  throw new SvcError('already_exists', `profile '${name}' already exists`, { hint: 'choose another name, or add --replace' });
}
