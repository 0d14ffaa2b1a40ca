import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { privateFolder } from '../kernel/files.ts';
import { withLock } from '../kernel/lock.ts';
import { SECRET_NAMES } from '../kernel/variables.ts';
import { findProfile, type ProfileBook, readProfiles, writeProfiles } from './book.ts';
import { Change, faultOf, type Kept, PROBE, without } from './change.ts';
import { originOf, type Profile, type Secrets } from './profile.ts';
import { type PlacesWorld, readSecrets, secretPlaces } from './secrets.ts';

/** Milliseconds to wait for other processes that change the profiles. */
const PATIENCE = 20_000;

/**
 * The profiles and their secrets, changed under one lock. A kill between two writes leaves at worst a profile without
 * its secrets that was to be removed, or secrets that no profile has; the next change removes those.
 */
export interface ProfileStore {
  read(): Promise<ProfileBook>;
  /**
   * The first profile becomes the current one. @returns where its secrets lie
   * @throws SvcError `already_exists`, unless it is to be replaced
   */
  add(name: string, profile: Profile, secrets: Secrets, how?: AddOptions): Promise<Kept>;
  /** @throws SvcError `not_found` */
  use(name: string): Promise<void>;
  /**
   * Changes the secrets of a profile where each of them lies, and what it says beside them.
   * @throws SvcError `not_found`; `usage` for a profile without an address
   */
  edit(name: string, change: ProfileEdit): Promise<Kept>;
  /** @throws SvcError `not_found`, `already_exists` */
  rename(from: string, to: string): Promise<void>;
  /** @returns whether its secrets are gone as well @throws SvcError `not_found` */
  remove(name: string): Promise<boolean>;
}

/**
 * What becomes of a profile and its secrets. One that is not handed back stays as it is. Handed back as they are, they
 * are written all the same: it shows that they can be.
 */
export type ProfileEdit = (
  profile: Profile,
  secrets: Secrets,
) => { readonly profile: Profile; readonly secrets: Secrets };

interface AddOptions {
  /** A profile of this name goes, with its secrets. */
  readonly replace?: boolean;
  /** The secrets go into the file, also where there is a keychain. */
  readonly insecure?: boolean;
}

export interface StoreWorld extends PlacesWorld {
  readonly clock: Clock;
  /** Milliseconds to wait for another writer. */
  readonly patience?: number;
}

export function profileStore(world: StoreWorld): ProfileStore {
  const { folders, clock, signal, patience = PATIENCE } = world;
  const places = secretPlaces(world);
  const locking = { clock, patience, ...(signal && { signal }) };

  /** Runs one change alone, and then removes what it or a killed one left behind. */
  async function change<Value>(edit: (change: Change) => Promise<Value>): Promise<Value> {
    await privateFolder(folders.config);
    return withLock(join(folders.config, 'profiles.lock'), locking, async () => {
      const save = (book: ProfileBook) => writeProfiles(folders, book);
      const running = new Change(await readProfiles(folders), { places, save });
      const value = await edit(running);
      await running.sweep();
      return value;
    });
  }

  return {
    read: () => readProfiles(folders),
    add: async (name, profile, secrets, { replace = false, insecure = false } = {}) => {
      const hasSecrets = SECRET_NAMES.some((secret) => secrets[secret] !== undefined);
      // Asked before the lock is taken: a keychain that hangs holds up nobody else.
      const [id, fault] = hasSecrets ? [randomUUID(), insecure ? undefined : await faultOf(places, PROBE)] : [];
      return change(async (running) => {
        if (!replace) assertFree(running.book, name);
        const putting = { name, profile: { ...profile, ...(id && { id }) }, secrets };
        const kept = await running.put({ ...putting, insecure: insecure || fault !== undefined });
        return { ...kept, fault: fault ?? kept.fault };
      });
    },
    use: (name) =>
      change(async (running) => {
        findProfile(running.book, name);
        await running.save({ ...running.book, current: name });
      }),
    edit: (name, edit) =>
      change(async (running) => {
        const before = findProfile(running.book, name);
        const { secrets: found } = await readSecrets(places, before);
        const values = SECRET_NAMES.map((secret) => [secret, found[secret]?.value]);
        const { profile, secrets } = edit(before, Object.fromEntries(values));
        if (originOf(profile) === undefined) throw new SvcError('usage', `profile '${name}' has no address`);
        return running.put({ name, profile: { id: randomUUID(), ...profile }, secrets, insecure: false });
      }),
    rename: (from, to) =>
      change(async (running) => {
        const { book } = running;
        const profile = findProfile(book, from);
        assertFree(book, to);
        const current = book.current === from ? to : book.current;
        await running.save({ ...book, current, profiles: without(book, from).set(to, profile) });
      }),
    remove: (name) =>
      change(async (running) => {
        findProfile(running.book, name);
        return running.remove(name);
      }),
  };
}

/** @throws SvcError `already_exists` */
export function assertFree(book: ProfileBook, name: string): void {
  if (!book.profiles.has(name)) return;
  throw new SvcError('already_exists', `there is a profile '${name}' already`, {
    hint: 'take another name, or say --replace',
  });
}
