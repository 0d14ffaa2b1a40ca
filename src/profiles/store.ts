import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { privateFolder } from '../kernel/files.ts';
import type { Folders } from '../kernel/folders.ts';
import { withLock } from '../kernel/lock.ts';
import { findProfile, type ProfileBook, readProfiles, writeProfiles } from './book.ts';
import type { Profile, Secrets } from './profile.ts';
import { fileSecretStore, type SecretStore } from './secret-store.ts';

/** Longer than it takes for a dead owner of the lock to be replaced. */
const PATIENCE = 20_000;

/**
 * The profiles and their secrets, changed under one lock. A kill between two writes leaves at worst secrets that no
 * profile uses, and `add` never takes over such ones, or a profile without its secrets that was to be removed.
 */
export interface ProfileStore {
  readonly secrets: SecretStore;
  read(): Promise<ProfileBook>;
  /** The first profile becomes the current one. @throws SvcError `already_exists` */
  add(name: string, profile: Profile, secrets: Secrets): Promise<void>;
  /** @throws SvcError `not_found` */
  use(name: string): Promise<void>;
  /** Changes the secrets of a profile, and what it says beside them. @throws SvcError `not_found` */
  edit(name: string, change: ProfileEdit): Promise<void>;
  /** @throws SvcError `not_found`, `already_exists` */
  rename(from: string, to: string): Promise<void>;
  /** @throws SvcError `not_found` */
  remove(name: string): Promise<void>;
}

/** What becomes of a profile and its secrets. Handed back as they are, they are written all the same: it shows that they can be. */
export type ProfileEdit = (
  profile: Profile,
  secrets: Secrets,
) => { readonly profile: Profile; readonly secrets: Secrets };

export interface StoreWorld {
  readonly folders: Folders;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Milliseconds to wait for another writer. */
  readonly patience?: number;
}

export function profileStore({ folders, clock, signal, patience = PATIENCE }: StoreWorld): ProfileStore {
  const secrets = fileSecretStore(folders);
  const lockPath = join(folders.config, 'profiles.lock');
  const locking = { clock, patience, ...(signal && { signal }) };

  /** Runs one change alone. `save` writes the profiles, `permit` guards the writes of secrets. */
  async function change(edit: (book: ProfileBook, save: Save, permit: Permit) => Promise<void>) {
    await privateFolder(folders.config);
    await withLock(lockPath, locking, async ({ assertHeld }) => {
      const book = await readProfiles(folders);
      await edit(book, (changed) => writeProfiles(folders, changed, assertHeld), assertHeld);
    });
  }

  /** Saves a profile that is new under its name after its secrets, which go again when it cannot be saved. */
  async function withSecrets(name: string, given: Secrets, permit: Permit, save: () => Promise<void>) {
    await secrets.set(name, given, permit);
    try {
      await save();
    } catch (error) {
      await secrets.set(name, {}, permit).catch(() => undefined); // unused, it does no harm
      throw error;
    }
  }

  return {
    secrets,
    read: () => readProfiles(folders),
    add: (name, profile, given) =>
      change(async (book, save, permit) => {
        assertFree(book, name);
        await withSecrets(name, given, permit, () =>
          save({ current: book.current ?? name, profiles: new Map(book.profiles).set(name, profile) }),
        );
      }),
    use: (name) =>
      change(async (book, save) => {
        findProfile(book, name);
        await save({ ...book, current: name });
      }),
    edit: (name, edit) =>
      change(async (book, save, permit) => {
        const { profile, secrets: edited } = edit(findProfile(book, name), await secrets.get(name));
        await secrets.set(name, edited, permit);
        await save({ ...book, profiles: new Map(book.profiles).set(name, profile) });
      }),
    rename: (from, to) =>
      change(async (book, save, permit) => {
        const profile = findProfile(book, from);
        assertFree(book, to);
        const current = book.current === from ? to : book.current;
        await withSecrets(to, await secrets.get(from), permit, () =>
          save({ current, profiles: without(book, from).set(to, profile) }),
        );
        await secrets.set(from, {}, permit);
      }),
    remove: (name) =>
      change(async (book, save, permit) => {
        findProfile(book, name);
        const current = book.current === name ? undefined : book.current;
        await secrets.set(name, {}, permit);
        await save({ current, profiles: without(book, name) });
      }),
  };
}

type Save = (book: ProfileBook) => Promise<void>;
type Permit = () => Promise<void>;

/** @throws SvcError `already_exists` */
export function assertFree(book: ProfileBook, name: string): void {
  if (!book.profiles.has(name)) return;
  throw new SvcError('already_exists', `there is a profile '${name}' already`, {
    hint: `take another name, or remove it first: svc profiles remove ${name}`,
  });
}

function without(book: ProfileBook, name: string): Map<string, Profile> {
  const profiles = new Map(book.profiles);
  profiles.delete(name);
  return profiles;
}
