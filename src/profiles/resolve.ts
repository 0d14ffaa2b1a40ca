import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { SvcError } from '../kernel/errors.ts';
import type { Environment, Folders } from '../kernel/folders.ts';
import { SECRET_NAMES, type SecretName, VARIABLES } from '../kernel/variables.ts';
import { hintForName, readProfiles } from './book.ts';
import { credentialValue, secretValue } from './credential-value.ts';
import { folderSettings } from './folder-settings.ts';
import type { Keychain } from './keychain.ts';
import { checkBaseUrl, checkHeaderPrefix, originOf, type Profile } from './profile.ts';
import { readSecrets, secretPlaces } from './secrets.ts';

/** A value and, for people, where it was found: `flag --base-url`, `SVC_ORG`, `profile 'prod'`. */
interface Sourced<Value> {
  readonly value: Value;
  readonly source: string;
}

/** Who is asking, and whom. */
export interface Settings {
  readonly profile?: Sourced<string>;
  readonly protected: boolean;
  readonly baseUrl?: Sourced<string>;
  readonly headerPrefix: Sourced<string>;
  readonly apiKey?: Sourced<string>;
  readonly authToken?: Sourced<string>;
  readonly workspaceId?: Sourced<string>;
  readonly workspaceAuthToken?: Sourced<string>;
  readonly org?: Sourced<string>;
  readonly output?: Sourced<string>;
  /** Why the profile's own credentials are not among these, for the hint of a missing one. */
  readonly withheld?: string;
}

export interface SettingsWorld {
  readonly flags: {
    readonly profile?: string;
    readonly baseUrl?: string;
    readonly org?: string;
    readonly output?: string;
  };
  readonly environment: Environment;
  readonly cwd: string;
  readonly folders: Folders;
  readonly signal?: AbortSignal;
  /** Instead of this user's own. */
  readonly keychain?: Keychain;
}

/** The settings but for the secrets, which cost a look into a keychain. */
export interface OpenSettings extends Omit<Settings, SecretName> {
  /** All of them. @throws SvcError `local` when the file of the secrets is damaged */
  complete(): Promise<Settings>;
}

type Name = keyof typeof VARIABLES;

/** What one place says. A name that it says nothing about is not there, so that places can be laid over each other. */
type Layer = { readonly [N in Name]?: Sourced<string> };

const CHECKS: { readonly [N in Name]?: (text: string, source: string) => string } = {
  baseUrl: checkBaseUrl,
  headerPrefix: checkHeaderPrefix,
  apiKey: credentialValue,
  authToken: secretValue,
  workspaceId: credentialValue,
  workspaceAuthToken: secretValue,
};

const DEFAULTS = { headerPrefix: { value: DEFAULT_HEADER_PREFIX, source: 'default' } };

/**
 * Each setting from the first place that has it: flag, environment, `.svc.json`, profile. An empty variable is as good
 * as none.
 * @throws SvcError `usage` for a value that cannot be, naming its source; `local` for a damaged file
 */
export async function resolveSettings(world: SettingsWorld): Promise<Settings> {
  return (await resolveOpenSettings(world)).complete();
}

/** As `resolveSettings`, but the secrets of a profile are looked for only when they are asked for. */
export async function resolveOpenSettings(world: SettingsWorld): Promise<OpenSettings> {
  const { flags, environment, cwd, folders } = world;
  const folder = await folderSettings(cwd);
  const given: Layer = {
    ...layer(folder?.settings ?? {}, () => folder?.path ?? ''),
    ...layer(fromEnvironment(environment), (name) => VARIABLES[name]),
    ...layer(flags, (name) => `flag --${name === 'baseUrl' ? 'base-url' : name}`),
  };
  const { chosen, profile } = await chooseProfile(folders, given.profile);
  if (!chosen) {
    const settings = { ...DEFAULTS, ...given, protected: false };
    return { ...settings, complete: async () => settings };
  }
  const kept = fromProfile(chosen.value, profile, given);
  const beside = { ...given, profile: chosen, protected: profile.protected === true };
  const open = { ...DEFAULTS, ...kept.settings, ...beside, ...withReason(kept.withheld) };
  const complete = async (): Promise<Settings> => {
    if (kept.withheld !== undefined) return open;
    const { secrets, withheld } = await secretsOf(world, chosen.value, profile, given);
    return { ...DEFAULTS, ...kept.settings, ...secrets, ...beside, ...withReason(withheld) };
  };
  return { ...open, complete };
}

function withReason(withheld: string | undefined): Pick<Settings, 'withheld'> {
  return withheld === undefined ? {} : { withheld };
}

function fromEnvironment(environment: Environment): Partial<Record<Name, string>> {
  const entries = Object.entries(VARIABLES).map(([name, variable]) => [name, environment[variable] || undefined]);
  return Object.fromEntries(entries);
}

async function chooseProfile(folders: Folders, named: Sourced<string> | undefined) {
  const book = await readProfiles(folders);
  const chosen = named ?? (book.current === undefined ? undefined : { value: book.current, source: 'default' });
  const profile = chosen ? book.profiles.get(chosen.value) : {};
  if (profile) return { chosen, profile };
  const name = chosen?.value ?? '';
  throw new SvcError('usage', `${chosen?.source}: there is no profile '${name}'`, { hint: hintForName(book, name) });
}

/** What a profile says openly. Its credentials are for its own origin: when another one is called they are withheld. */
function fromProfile(name: string, profile: Profile, given: Layer): { settings: Layer; withheld?: string } {
  const { baseUrl, headerPrefix, org, output, apiKey, workspaceId } = profile;
  const sourceOf = () => `profile '${name}'`;
  const settings = layer({ baseUrl, headerPrefix, org, output }, sourceOf);
  const home = originOf(profile);
  if (home !== undefined && given.baseUrl && originOf({ baseUrl: given.baseUrl.value }) !== home) {
    return { settings, withheld: `the credentials of ${sourceOf()} are for ${home} only` };
  }
  return { settings: { ...settings, ...layer({ apiKey, workspaceId }, sourceOf) } };
}

/** The secrets of a profile that nothing before it gives. What is not needed is not looked for. */
async function secretsOf(world: SettingsWorld, name: string, profile: Profile, given: Layer) {
  const wanted = SECRET_NAMES.filter((secret) => given[secret] === undefined);
  const source = `profile '${name}'`;
  const { secrets, withheld } = await readSecrets(secretPlaces(world), profile, wanted);
  const values = Object.fromEntries(wanted.map((secret) => [secret, secrets[secret]?.value]));
  const found = layer(values, (secret) => `${source} (${secrets[secret as SecretName]?.place})`);
  return { secrets: found, withheld: withheld && `${source}: ${withheld}` };
}

/** The values that are there, each checked and with its source. */
function layer(values: { readonly [N in Name]?: string | undefined }, sourceOf: (name: Name) => string): Layer {
  const names = Object.keys(VARIABLES) as Name[];
  const entries = names.flatMap((name) => {
    const [value, source] = [values[name], sourceOf(name)];
    return value === undefined ? [] : [[name, { value: CHECKS[name]?.(value, source) ?? value, source }]];
  });
  return Object.fromEntries(entries);
}
