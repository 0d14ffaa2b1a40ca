import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { SvcError } from '../kernel/errors.ts';
import { once } from '../kernel/once.ts';
import { SECRET_SETTINGS, type SecretSetting } from '../kernel/variables.ts';
import {
  type ComparedSetting,
  checkFileTarget,
  createContradictionError,
  describeUnusedProfile,
  findDifferences,
  isSameTarget,
} from './contradictions.ts';
import type { Profile } from './profile.ts';
import { createUnknownProfileHint, readProfiles, type SavedProfiles } from './profiles-file.ts';
import { listReadOnlySources } from './read-only.ts';
import { combineRules } from './required-approvals.ts';
import { createSecretStorage, readSecrets } from './secrets.ts';
import {
  createLayer,
  readSources,
  type Sources,
  sourced,
  type TargetDependencies,
} from './sources.ts';
import type { CommandTarget, Layer, Sourced, TargetWithSecrets } from './target.ts';

const DEFAULTS = { headerPrefix: { value: DEFAULT_HEADER_PREFIX, source: 'default' } };

/**
 * Resolves the target of a command. A profile that a flag, a file, or the environment names is the
 * target, and other values must not contradict it. Otherwise, variables and flags that name an
 * address or a key are the target. Otherwise, it is the profile of `.svc.json`, or the default one.
 * Ignores empty variables. Reads the secrets of the profile only when `withSecrets` is called.
 * @throws SvcError `usage` for an invalid value or a contradiction, naming the sources; `local` for
 * a damaged file
 */
export async function resolveTarget(dependencies: TargetDependencies): Promise<CommandTarget> {
  const sources = await readSources(dependencies);
  const { embedded, fileTarget } = dependencies;
  if (embedded) return complete({ ...commonParts(sources), embedded });
  const { profile, name, ...chosen } = await chooseProfile(dependencies, sources);
  const target =
    profile && name
      ? fromProfile(dependencies, sources, { profile, name, saved: chosen.saved })
      : fromVariables(sources, chosen);
  if (fileTarget) checkFileTarget(target, fileTarget);
  return target;
}

/**
 * Resolves the output format of the environment, `.svc.json`, or the profile of the command, also
 * if its target cannot be resolved.
 * @throws SvcError `usage` for a damaged `.svc.json`
 */
export async function resolveOutput(
  dependencies: TargetDependencies,
  target: Promise<CommandTarget>,
): Promise<Sourced | undefined> {
  const { variables, folder } = await readSources(dependencies);
  const own = variables.output ?? folder.output;
  if (own) return own;
  const { embedded, profile } = (await target.catch(() => undefined)) ?? {};
  const saved = await readProfiles(dependencies.folders).catch(() => undefined);
  // The embedded service has no profile, but its user has.
  const user = embedded
    ? ((variables.profile ?? folder.profile)?.value ?? saved?.current)
    : undefined;
  const name = profile?.value ?? user;
  const output = name === undefined ? undefined : saved?.profiles.get(name)?.output;
  return sourced(output, `profile '${name}'`);
}

/** The parts of a target that do not depend on its profile. */
function commonParts({ org, environment, folderFiles }: Sources) {
  return {
    ...DEFAULTS,
    ...(org && { org }),
    readOnly: listReadOnlySources(environment, folderFiles),
  };
}

interface ChosenProfile {
  readonly saved: SavedProfiles;
  readonly profile?: Profile;
  readonly name?: Sourced;
  /** Why the profile that would be used without the variables is not used. */
  readonly reason?: string;
}

/**
 * Chooses the profile that is the target.
 * @throws SvcError `usage` if it does not exist, or if other values contradict its name
 */
async function chooseProfile(
  { flags, folders, fileTarget, credential = 'apiKey' }: TargetDependencies,
  { variables, folder, explicit }: Sources,
): Promise<ChosenProfile> {
  const saved = await readProfiles(folders);
  const identity = [...new Set<ComparedSetting>(['baseUrl', 'apiKey', credential])];
  const named =
    sourced(fileTarget?.profile, fileTarget?.source ?? '') ??
    sourced(flags.profile, 'flag --profile') ??
    variables.profile;
  if (named) {
    const profile = saved.profiles.get(named.value);
    // A runner has the variables of its environment instead of a profile.
    if (!profile && named.source === fileTarget?.source && isComplete(explicit)) return { saved };
    if (!profile) throw createUnknownProfileError(saved, named);
    const differences = findDifferences(profile, explicit, [...identity, 'headerPrefix']);
    if (differences.length > 0) throw createContradictionError(named, differences, explicit);
    return { saved, profile, name: named };
  }
  const name = folder.profile ?? sourced(saved.current, 'default');
  if (!name) return { saved };
  const profile = saved.profiles.get(name.value);
  const [difference] = findDifferences(profile ?? {}, explicit, identity);
  const isNamedByVariables = identity.some((setting) => explicit[setting] !== undefined);
  if (!profile && !isNamedByVariables) throw createUnknownProfileError(saved, name);
  if (profile && !difference) return { saved, profile, name };
  const reason = difference && describeUnusedProfile(name, difference);
  return { saved, ...(reason !== undefined && { reason }) };
}

function createUnknownProfileError(saved: SavedProfiles, { value, source }: Sourced): SvcError {
  return new SvcError('usage', `${source}: profile '${value}' does not exist`, {
    hint: createUnknownProfileHint(saved, value),
  });
}

/** Whether the variables and flags are a target without a profile. */
function isComplete({ baseUrl, ...explicit }: Sources['explicit']): boolean {
  const hasKey = explicit.apiKey && explicit.authToken;
  const hasWorkspace = explicit.workspaceId && explicit.workspaceAuthToken;
  return Boolean(baseUrl && (hasKey || hasWorkspace));
}

interface NamedProfile {
  readonly profile: Profile;
  readonly name: Sourced;
}

function fromProfile(
  dependencies: TargetDependencies,
  sources: Sources,
  { profile, name, saved }: Pick<ChosenProfile, 'saved'> & NamedProfile,
): CommandTarget {
  const { explicit, folderFiles, folder } = sources;
  const source = `profile '${name.value}'`;
  const { baseUrl, headerPrefix, apiKey, workspaceId, caFile, org } = profile;
  const { clientCert, clientKey } = explicit.clientCert ? {} : profile;
  const connection = { baseUrl, headerPrefix, caFile, clientCert, clientKey };
  const values = { ...connection, apiKey, workspaceId, org };
  const stored = createLayer(values, () => source);
  const common = commonParts(sources);
  const protections = combineProtections(saved, { ...stored, ...explicit }, name.value);
  const conflicts = findDifferences(profile, explicit, ['workspaceId']);
  const createTarget = (secrets: Layer, missingReason?: string): TargetWithSecrets => ({
    ...DEFAULTS,
    ...stored,
    ...secrets,
    ...explicit,
    ...(common.org && { org: common.org }),
    profile: name,
    ...(name === folder.profile && { folderFile: folderFiles.nearest?.name ?? '' }),
    ...protections,
    readOnly: [...protections.readOnly, ...common.readOnly],
    ...(secrets.authToken &&
      profile.authTokenReplacedAt !== undefined && {
        tokenReplacedAt: profile.authTokenReplacedAt,
      }),
    ...(missingReason !== undefined && { missingReason }),
    ...(conflicts.length > 0 && {
      workspaceConflict: createContradictionError(name, conflicts, explicit),
    }),
  });
  const withSecrets = once(async (): Promise<TargetWithSecrets> => {
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
    const found = createLayer(
      Object.fromEntries(missing.map((secret) => [secret, secrets[secret]?.value])),
      (secret) => `${source} (${secrets[secret as SecretSetting]?.location})`,
    );
    return createTarget(found, missingReason && `${source}: ${missingReason}`);
  });
  return { ...createTarget({}), withSecrets };
}

/**
 * Creates the target of variables and flags. Of saved profiles with the same address and key, only
 * the protections count.
 */
function fromVariables(sources: Sources, { saved, reason }: ChosenProfile): CommandTarget {
  const { explicit } = sources;
  const common = commonParts(sources);
  const protections = combineProtections(saved, explicit);
  return complete({
    ...common,
    ...explicit,
    ...protections,
    readOnly: [...protections.readOnly, ...common.readOnly],
    ...(reason !== undefined && !isComplete(explicit) && { missingReason: reason }),
  });
}

/**
 * Combines the protections of all profiles with the address and credential of a target: each
 * applies, whichever profile has it.
 * @param named name of the profile that the command names
 */
function combineProtections(
  { profiles }: SavedProfiles,
  target: Parameters<typeof isSameTarget>[1],
  named?: string,
): Pick<CommandTarget, 'protectedBy' | 'readOnly' | 'approvals'> {
  const same = [...profiles].filter(
    ([name, profile]) => name === named || isSameTarget(profile, target),
  );
  const protecting = same.flatMap(([name, profile]) => (profile.protected ? [name] : []));
  const protectedBy = protecting.find((name) => name === named) ?? protecting[0];
  const approvals = combineRules(same);
  return {
    ...(protectedBy !== undefined && { protectedBy }),
    readOnly: same.flatMap(([name, profile]) =>
      profile.readOnly ? [{ source: `profile '${name}'`, scope: 'all' } as const] : [],
    ),
    ...(approvals.length > 0 && { approvals }),
  };
}

function complete(target: TargetWithSecrets): CommandTarget {
  return { ...target, withSecrets: async () => target };
}
