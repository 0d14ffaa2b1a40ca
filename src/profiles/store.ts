import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { createPrivateFolder } from '../kernel/files.ts';
import { withLock } from '../kernel/lock.ts';
import { SECRET_SETTINGS } from '../kernel/variables.ts';
import { originOf, type Profile, type Secrets } from './profile.ts';
import { findProfile, readSavedProfiles, type SavedProfiles } from './profiles-file.ts';
import { createSecretStorage, readSecrets, type SecretStorageDependencies } from './secrets.ts';
import {
  findKeychainProblem,
  PROBE_CALLS,
  ProfileTransaction,
  withoutProfile,
} from './transaction.ts';

/** Maximum time in milliseconds to wait for another process that is changing the profiles. */
const LOCK_TIMEOUT = 20_000;
/** The location of a profile's secrets, and the problem that kept them out of the keychain. */
export interface SavedSecrets {
  readonly location: string | undefined;
  readonly keychainProblem: string | undefined;
}

/** Warns that a saved token is in a file, because the keychain failed. Ignores a failure to print the warning. */
export async function warnAboutTokenFile(
  { warn }: { readonly warn: (text: string) => Promise<void> },
  { location, keychainProblem }: SavedSecrets,
): Promise<void> {
  if (keychainProblem === undefined) return;
  await warn(`the keychain ${keychainProblem}; saved the token in the ${location}`).catch(
    () => undefined,
  );
}

/** The saved profiles and their secrets. */
export interface ProfileStore {
  readonly read: () => Promise<SavedProfiles>;
  readonly add: (
    name: string,
    profile: Profile,
    secrets: Secrets,
    options?: AddOptions,
  ) => Promise<SavedSecrets>;
  /** Makes a profile the default. */
  readonly use: (name: string) => Promise<void>;
  readonly edit: (
    name: string,
    edit: (profile: Profile, secrets: Secrets) => { profile: Profile; secrets: Secrets },
    options?: Pick<AddOptions, 'insecure'>,
  ) => Promise<SavedSecrets>;
  readonly rename: (from: string, to: string) => Promise<void>;
  /** Resolves to whether all of its secrets were deleted. */
  readonly remove: (name: string) => Promise<boolean>;
}

interface AddOptions {
  readonly replace?: boolean;
  readonly insecure?: boolean;
}

export interface ProfileStoreDependencies extends SecretStorageDependencies {
  readonly clock: Clock;
  readonly lockTimeout?: number;
}

/**
 * Changes profiles and secrets under one lock. After a crash, the next change deletes secrets
 * without a profile.
 */
export function createProfileStore(dependencies: ProfileStoreDependencies): ProfileStore {
  const { folders, clock, signal, lockTimeout = LOCK_TIMEOUT } = dependencies;
  const storage = createSecretStorage(dependencies);
  const locking = { clock, timeout: lockTimeout, ...(signal && { signal }) };

  /**
   * Runs one change under the lock, and then deletes leftover secrets of this or an interrupted
   * change.
   */
  async function change<Value>(
    edit: (change: ProfileTransaction) => Promise<Value>,
  ): Promise<Value> {
    await createPrivateFolder(folders.config);
    return withLock(join(folders.config, 'profiles.lock'), locking, async () => {
      const transaction = new ProfileTransaction(
        await readSavedProfiles(folders),
        folders,
        storage,
      );
      const value = await edit(transaction);
      await transaction.deleteLeftovers();
      return value;
    });
  }

  return {
    read: () => readSavedProfiles(folders),
    /**
     * The first profile becomes the current one.
     * @throws SvcError `already_exists`, unless `replace` is set
     */
    add: async (
      name: string,
      profile: Profile,
      secrets: Secrets,
      { replace = false, insecure = false }: AddOptions = {},
    ) => {
      const hasSecrets = SECRET_SETTINGS.some((secret) => secrets[secret] !== undefined);
      // Tests the keychain before taking the lock, so that a keychain that hangs does not block
      // other processes.
      const [id, problem] = hasSecrets
        ? [randomUUID(), insecure ? undefined : await findKeychainProblem(storage, PROBE_CALLS)]
        : [];
      return change(async (transaction) => {
        if (!replace) assertNameAvailable(transaction.saved, name);
        const identified = { ...profile, ...(id && { id }) };
        const result = await transaction.put(
          name,
          identified,
          secrets,
          insecure || problem !== undefined,
        );
        return { ...result, keychainProblem: problem ?? result.keychainProblem };
      });
    },
    /** @throws SvcError `not_found` */
    use: (name: string) =>
      change(async (transaction) => {
        findProfile(transaction.saved, name);
        await transaction.save({ ...transaction.saved, current: name });
      }),
    /**
     * A new auth token is no longer one that was replaced. Each secret stays in its location,
     * unless `insecure` moves it to the file.
     * @throws SvcError `not_found`; `usage` for secrets without a base URL
     */
    edit: (
      name: string,
      edit: (profile: Profile, secrets: Secrets) => { profile: Profile; secrets: Secrets },
      { insecure = false }: Pick<AddOptions, 'insecure'> = {},
    ) =>
      change(async (transaction) => {
        const before = findProfile(transaction.saved, name);
        const { secrets: found } = await readSecrets(storage, before);
        const values = SECRET_SETTINGS.map((secret) => [secret, found[secret]?.value]);
        const { profile, secrets } = edit(before, Object.fromEntries(values));
        const { authTokenReplacedAt, ...kept } = profile;
        const isOld = secrets.authToken === found.authToken?.value;
        const hasSecrets = SECRET_SETTINGS.some((secret) => secrets[secret] !== undefined);
        if (hasSecrets && originOf(profile) === undefined)
          throw new SvcError('usage', `profile '${name}' has no base URL`);
        const id = hasSecrets ? randomUUID() : undefined;
        return transaction.put(
          name,
          {
            ...(id && { id }),
            ...kept,
            ...(isOld && authTokenReplacedAt && { authTokenReplacedAt }),
          },
          secrets,
          insecure,
        );
      }),
    /** @throws SvcError `not_found`, `already_exists` */
    rename: (from: string, to: string) =>
      change(async (transaction) => {
        const { saved } = transaction;
        const profile = findProfile(saved, from);
        assertNameAvailable(saved, to);
        const current = saved.current === from ? to : saved.current;
        await transaction.save({
          ...saved,
          current,
          profiles: withoutProfile(saved, from).set(to, profile),
        });
      }),
    /** @returns whether its secrets were also deleted @throws SvcError `not_found` */
    remove: (name: string) =>
      change(async (transaction) => {
        findProfile(transaction.saved, name);
        return transaction.remove(name);
      }),
  };
}

export function assertNameAvailable(saved: SavedProfiles, name: string): void {
  if (!saved.profiles.has(name)) return;
  throw new SvcError('already_exists', `profile '${name}' already exists`, {
    hint: 'choose another name, or add --replace',
  });
}
