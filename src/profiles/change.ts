import { SECRET_NAMES, type SecretName } from '../kernel/variables.ts';
import type { ProfileBook } from './book.ts';
import type { KeychainCall } from './keychain-calls.ts';
import { originOf, type Place, type Profile, type Secrets } from './profile.ts';
import type { SecretEntry } from './secret-file.ts';
import { accountOf, boundSecret, type SecretPlaces } from './secrets.ts';

/** Where secrets went. */
export interface Kept {
  /** For people: `keychain`, `file /home/ann/.config/svc/secrets.json`; `undefined` when there were none. */
  readonly place: string | undefined;
  /** Why not into the keychain: `did not answer within 3 s`. */
  readonly fault: string | undefined;
}

/** A profile that is to hold the given secrets. It has an id and an address where there are any. */
interface Putting {
  readonly name: string;
  readonly profile: Profile;
  readonly secrets: Secrets;
  /** Into the file, wherever they lay. */
  readonly insecure: boolean;
}

interface ChangeWorld {
  readonly places: SecretPlaces;
  readonly save: (book: ProfileBook) => Promise<void>;
}

/**
 * One change of the profiles, under their lock. Secrets are written before the profile that has them, and removed after
 * or with it; what might be left over in the keychain is written down before it is there.
 */
export class Change {
  book: ProfileBook;
  readonly #world: ChangeWorld;

  constructor(book: ProfileBook, world: ChangeWorld) {
    this.book = book;
    this.#world = world;
  }

  async save(book: ProfileBook): Promise<void> {
    await this.#world.save(book);
    this.book = book;
  }

  /** Saves a profile and secrets of it; those of a profile that it replaces go. */
  async put({ name, profile, secrets, insecure }: Putting): Promise<Kept> {
    const { file } = this.#world.places;
    const before = await file.read();
    const wanted = placesFor(profile, secrets, insecure);
    const fault = await this.#putIntoKeychain(profile, pick(secrets, wanted, 'keychain'));
    const places = fault === undefined ? wanted : allInFile(wanted);
    await this.#putIntoFile(before, profile, pick(secrets, places, 'file'));
    const held = { ...profile.secrets, ...places };
    const saved: Profile = Object.keys(held).length > 0 ? { ...profile, secrets: held } : profile;
    try {
      await this.#replace(name, saved);
    } catch (error) {
      await this.#writeFile(before).catch(() => undefined); // unused, it does no harm
      throw error;
    }
    await this.#pruneFile();
    const used = new Set(Object.values(places));
    const words = [used.has('keychain') && 'keychain', used.has('file') && `file ${file.path}`].filter(Boolean);
    return { place: words.join(', ') || undefined, fault };
  }

  /** Removes a profile. @returns whether its secrets are gone with it: a keychain may not answer. */
  async remove(name: string): Promise<boolean> {
    const profile = this.book.profiles.get(name);
    const entries = new Map(await this.#world.places.file.read());
    if (entries.delete(profile?.id ?? '')) await this.#writeFile(entries);
    const accounts = accountsOf(profile);
    const fault = await this.#ask(accounts.map((account) => ({ kind: 'delete', account })));
    const { current, leftovers } = this.book;
    await this.save({
      current: current === name ? undefined : current,
      profiles: without(this.book, name),
      leftovers: fault === undefined ? leftovers : union(leftovers, accounts),
    });
    return fault === undefined;
  }

  /** Removes what is left over in the keychain, or leaves it for the next time. */
  async sweep(): Promise<void> {
    const { leftovers } = this.book;
    if (leftovers.length === 0) return;
    const fault = await this.#ask(leftovers.map((account) => ({ kind: 'delete', account })));
    if (fault === undefined) await this.save({ ...this.book, leftovers: [] });
  }

  /** @returns why they are not there, if they are not */
  async #putIntoKeychain(profile: Profile, secrets: Secrets): Promise<string | undefined> {
    const calls = entriesOf(secrets).map(([name, secret]) => ({
      kind: 'set' as const,
      account: accountOf(profile.id ?? '', name),
      secret: boundSecret(originOf(profile) ?? '', secret),
    }));
    if (calls.length === 0) return undefined;
    const live = new Set([...this.book.profiles.values()].flatMap(accountsOf));
    const fresh = calls.map(({ account }) => account).filter((account) => !live.has(account));
    await this.save({ ...this.book, leftovers: union(this.book.leftovers, fresh) });
    return this.#ask(calls);
  }

  async #putIntoFile(before: ReadonlyMap<string, SecretEntry>, profile: Profile, secrets: Secrets): Promise<void> {
    if (entriesOf(secrets).length === 0) return;
    const [id, origin] = [profile.id ?? '', originOf(profile) ?? ''];
    const entry = before.get(id);
    // What was saved for another origin must not become this one's.
    const rest = entry?.origin === origin ? entry : {};
    await this.#writeFile(new Map(before).set(id, { ...rest, ...secrets, origin }));
  }

  async #replace(name: string, profile: Profile): Promise<void> {
    const { current, profiles, leftovers } = this.book;
    const kept = new Set(accountsOf(profile));
    await this.save({
      current: current ?? name,
      profiles: new Map(profiles).set(name, profile),
      leftovers: union(leftovers, accountsOf(profiles.get(name))).filter((account) => !kept.has(account)),
    });
  }

  /** Removes from the file what no profile says to have there. */
  async #pruneFile(): Promise<void> {
    const before = await this.#world.places.file.read();
    const profiles = [...this.book.profiles.values()];
    const owned = [...before].filter(([id]) => profiles.some((profile) => profile.id === id));
    if (owned.length < before.size) await this.#writeFile(new Map(owned));
  }

  async #writeFile(entries: ReadonlyMap<string, SecretEntry>): Promise<void> {
    await this.#world.places.file.write(entries);
  }

  /** Asks the keychain. @returns why it failed, if it did */
  async #ask(calls: readonly KeychainCall[]): Promise<string | undefined> {
    if (calls.length === 0) return undefined;
    return faultOf(this.#world.places, calls);
  }
}

/** Asks for nothing that is there: it shows whether the keychain answers. */
export const PROBE: readonly KeychainCall[] = [{ kind: 'get', account: 'probe' }];

/** Asks the keychain for nothing but what went wrong: `undefined` when nothing did. */
export async function faultOf({ keychain }: SecretPlaces, calls: readonly KeychainCall[]): Promise<string | undefined> {
  const [ask, { KeychainFault }] = await Promise.all([keychain(), import('./keychain.ts')]);
  try {
    await ask(calls);
    return undefined;
  } catch (error) {
    if (error instanceof KeychainFault) return error.message;
    throw error;
  }
}

/** Where each given secret goes: where it lies, or into the keychain. */
function placesFor(profile: Profile, secrets: Secrets, insecure: boolean): Places {
  const places = entriesOf(secrets).map(([name]) => {
    const lies = profile.secrets?.[name];
    return [name, insecure || lies === 'file' ? 'file' : 'keychain'];
  });
  return Object.fromEntries(places);
}

type Places = { readonly [Name in SecretName]?: Place };

function allInFile(places: Places): Places {
  return Object.fromEntries(Object.keys(places).map((name) => [name, 'file']));
}

function pick(secrets: Secrets, places: Places, place: Place): Secrets {
  return Object.fromEntries(entriesOf(secrets).filter(([name]) => places[name] === place));
}

function entriesOf(secrets: Secrets): readonly (readonly [SecretName, string])[] {
  return SECRET_NAMES.flatMap((name) => {
    const value = secrets[name];
    return value === undefined ? [] : [[name, value] as const];
  });
}

function accountsOf(profile: Profile | undefined): readonly string[] {
  const { id, secrets = {} } = profile ?? {};
  if (id === undefined) return [];
  return SECRET_NAMES.filter((name) => secrets[name] === 'keychain').map((name) => accountOf(id, name));
}

function union(first: readonly string[], second: readonly string[]): readonly string[] {
  return [...new Set([...first, ...second])];
}

/** The profiles but one. */
export function without({ profiles }: ProfileBook, name: string): Map<string, Profile> {
  return new Map([...profiles].filter(([other]) => other !== name));
}
