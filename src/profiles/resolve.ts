import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { parseBaseUrl } from '../client/target.ts';
import { SvcError } from '../kernel/errors.ts';
import type { Environment, Folders } from '../kernel/folders.ts';
import { SECRET_SETTINGS, SETTING_VARIABLES, type SecretSetting } from '../kernel/variables.ts';
import { parseCredential, parseSecret } from './credential-value.ts';
import { readFolderSettings } from './folder-settings.ts';
import type { Keychain } from './keychain.ts';
import { originOf, parseHeaderPrefix } from './profile.ts';
import { createUnknownProfileHint, readProfiles } from './profiles-file.ts';
import type { ApprovalRule } from './required-approvals.ts';
import { createSecretStorage, readSecrets } from './secrets.ts';

/** A value and its source, for messages: `flag --base-url`, `SVC_ORG`, `profile 'prod'`. */
interface Sourced<Value> {
  readonly value: Value;
  readonly source: string;
}

export interface Settings extends Layer {
  readonly protected: boolean;
  /** Whether the profile is read-only. Other settings can make the target read-only too. */
  readonly readOnly: boolean;
  /** Time when the auth token of the profile, which is in use, was replaced. */
  readonly tokenReplacedAt?: string;
  /** The approvals that the profile demands. */
  readonly approvals?: ApprovalRule;
  readonly headerPrefix: Sourced<string>;
  readonly missingReason?: string;
}

export interface SettingsDependencies {
  readonly flags: {
    readonly profile?: string;
    readonly baseUrl?: string;
    readonly clientCert?: string;
    readonly clientKey?: string;
    readonly org?: string;
    readonly output?: string;
  };
  readonly environment: Environment;
  readonly cwd: string;
  readonly folders: Folders;
  readonly signal?: AbortSignal;
  /**
   * Whether to use the embedded service, which has its own credentials: only `org` and `output`
   * apply.
   */
  readonly isLocal?: boolean;
  readonly keychain?: Keychain;
}

/** The settings without the secrets, which would require a keychain lookup. */
export interface SettingsWithoutSecrets extends Omit<Settings, SecretSetting> {
  /** Also resolves the secrets. @throws SvcError `local` if the secrets file is damaged */
  withSecrets(): Promise<Settings>;
}

type SettingName = keyof typeof SETTING_VARIABLES;
/** The settings from one source. Absent settings have no key, so that layers can be merged. */
type Layer = { readonly [N in SettingName]?: Sourced<string> };
type Values = { readonly [N in SettingName]?: string | undefined };

const PARSERS: { readonly [N in SettingName]?: (text: string, source: string) => string } = {
  baseUrl: parseBaseUrl,
  headerPrefix: parseHeaderPrefix,
  apiKey: parseCredential,
  authToken: parseSecret,
  workspaceId: parseCredential,
  workspaceAuthToken: parseSecret,
};

const DEFAULTS = { headerPrefix: { value: DEFAULT_HEADER_PREFIX, source: 'default' } };

export const EMPTY_SETTINGS: SettingsWithoutSecrets = {
  ...DEFAULTS,
  protected: false,
  readOnly: false,
  withSecrets: async () => EMPTY_SETTINGS,
};

/**
 * Resolves each setting from the first source that defines it: flag, environment, `.svc.json`,
 * profile. Ignores empty variables. Reads the secrets of the profile only when `withSecrets` is
 * called.
 * @throws SvcError `usage` for an invalid value, naming its source; `local` for a damaged file
 */
export async function resolveSettingsWithoutSecrets(
  dependencies: SettingsDependencies,
): Promise<SettingsWithoutSecrets> {
  const { flags, environment, cwd, folders } = dependencies;
  const folder = await readFolderSettings(cwd);
  const createLayers = (select: (values: Values) => Values): Layer => ({
    ...createLayer(select(folder?.settings ?? {}), () => folder?.path ?? ''),
    ...createLayer(select(readVariables(environment)), (name) => SETTING_VARIABLES[name]),
    ...createLayer(
      select(flags),
      (name) => `flag --${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
    ),
  });
  if (dependencies.isLocal) {
    const profileName =
      stripEnd(environment[SETTING_VARIABLES.profile]) || folder?.settings.profile;
    const profileOutput = await readOutputOfProfile(folders, profileName);
    return resolved({
      ...EMPTY_SETTINGS,
      ...profileOutput,
      ...createLayers(({ org, output }) => ({ org, output })),
    });
  }
  const explicit = createLayers((values) => values);
  const { chosen, profile } = await chooseProfile(folders, explicit.profile);
  if (!chosen) return resolved({ ...DEFAULTS, ...explicit, protected: false, readOnly: false });
  const source = `profile '${chosen.value}'`;
  const origin = originOf(profile);
  const calledOrigin = explicit.baseUrl ? originOf({ baseUrl: explicit.baseUrl.value }) : origin;
  const { baseUrl, headerPrefix, org, output, apiKey, workspaceId } = profile;
  const { clientCert, clientKey } = explicit.clientCert ? {} : profile;
  const credentials =
    origin === undefined || origin === calledOrigin
      ? { apiKey, workspaceId, clientCert, clientKey }
      : undefined;
  const stored = createLayer({ baseUrl, headerPrefix, org, output, ...credentials }, () => source);
  const { approvals: count, signers } = profile;
  const createSettings = (secrets: Layer, missingReason?: string): Settings => ({
    ...DEFAULTS,
    ...stored,
    ...secrets,
    ...explicit,
    profile: chosen,
    protected: profile.protected === true,
    readOnly: profile.readOnly === true,
    ...(secrets.authToken &&
      profile.authTokenReplacedAt !== undefined && {
        tokenReplacedAt: profile.authTokenReplacedAt,
      }),
    ...(count !== undefined && signers && { approvals: { count, signers } }),
    ...(missingReason !== undefined && { missingReason }),
  });
  // The credentials of a profile are only sent to its own origin.
  if (!credentials)
    return resolved(createSettings({}, `the credentials of ${source} are for ${origin} only`));
  const withSecrets = async (): Promise<Settings> => {
    const missing = SECRET_SETTINGS.filter(
      (secret) =>
        explicit[secret] === undefined &&
        // The passphrase of a profile is that of its own key.
        !(secret === 'clientKeyPassphrase' && (explicit.clientCert ?? explicit.clientKey)),
    );
    const { secrets, missingReason } = await readSecrets(
      createSecretStorage(dependencies),
      profile,
      missing,
    );
    const values = Object.fromEntries(missing.map((secret) => [secret, secrets[secret]?.value]));
    const found = createLayer(
      values,
      (secret) => `${source} (${secrets[secret as SecretSetting]?.location})`,
    );
    return createSettings(found, missingReason && `${source}: ${missingReason}`);
  };
  return { ...createSettings({}), withSecrets };
}

function resolved(settings: Settings): SettingsWithoutSecrets {
  return { ...settings, withSecrets: async () => settings };
}

function readVariables(environment: Environment): Partial<Record<SettingName, string>> {
  const entries = Object.entries(SETTING_VARIABLES).map(([name, variable]) => [
    name,
    stripEnd(environment[variable]) || undefined,
  ]);
  return Object.fromEntries(entries);
}

/** Strips the line break or space that scripts and secret stores leave at the end of a variable. */
function stripEnd(value: string | undefined): string | undefined {
  return value?.replace(/[ \t\r\n]+$/, '');
}

async function readOutputOfProfile(
  folders: Folders,
  profileName: string | undefined,
): Promise<Layer> {
  const saved = await readProfiles(folders).catch(() => undefined);
  const name = profileName ?? saved?.current;
  const profile = name === undefined ? undefined : saved?.profiles.get(name);
  return createLayer({ output: profile?.output }, () => `profile '${name}'`);
}

async function chooseProfile(folders: Folders, requested: Sourced<string> | undefined) {
  const saved = await readProfiles(folders);
  const chosen =
    requested ??
    (saved.current === undefined ? undefined : { value: saved.current, source: 'default' });
  const profile = chosen ? saved.profiles.get(chosen.value) : {};
  if (profile) return { chosen, profile };
  const name = chosen?.value ?? '';
  throw new SvcError('usage', `${chosen?.source}: profile '${name}' does not exist`, {
    hint: createUnknownProfileHint(saved, name),
  });
}

function createLayer(values: Values, sourceOf: (name: SettingName) => string): Layer {
  const names = Object.keys(SETTING_VARIABLES) as SettingName[];
  const entries = names.flatMap((name) => {
    const [value, source] = [values[name], sourceOf(name)];
    return value === undefined
      ? []
      : [[name, { value: PARSERS[name]?.(value, source) ?? value, source }]];
  });
  return Object.fromEntries(entries);
}
