import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { parseBaseUrl } from '../client/target.ts';
import { SvcError } from '../kernel/errors.ts';
import { isLoopback } from '../kernel/loopback.ts';
import type { Profile } from './profile.ts';
import type { CommandTarget, FileTarget, Layer, Sourced } from './target.ts';

/** Settings that identify a target, and how a message says the value of a profile. */
const COMPARED = {
  baseUrl: (value: string) => `is for ${value}`,
  apiKey: (value: string) => `is for API key ${value}`,
  workspaceId: (value: string) => `is for workspace ${value}`,
  headerPrefix: (value: string) => `has the header prefix ${value}`,
} as const;

export type ComparedSetting = keyof typeof COMPARED;
type Explicit = Pick<Layer, ComparedSetting>;

interface Difference {
  readonly setting: ComparedSetting;
  /** Value of the profile. */
  readonly own: string;
  readonly given: Sourced;
}

/**
 * Finds the settings in which variables and flags differ from a profile. Neither side contradicts a
 * value that it does not have.
 */
export function findDifferences(
  profile: Profile,
  explicit: Explicit,
  settings: readonly ComparedSetting[],
): readonly Difference[] {
  return settings.flatMap((setting) => {
    const [own, given] = [valueOfProfile(profile, setting), explicit[setting]];
    return own === undefined || given === undefined || own === given.value
      ? []
      : [{ setting, own, given }];
  });
}

function valueOfProfile(profile: Profile, setting: ComparedSetting): string | undefined {
  const { baseUrl } = profile;
  if (setting === 'baseUrl')
    return baseUrl === undefined ? undefined : parseBaseUrl(baseUrl, 'baseUrl');
  // A profile with a URL was saved with this prefix.
  if (setting === 'headerPrefix' && baseUrl !== undefined)
    return profile.headerPrefix?.toLowerCase() ?? DEFAULT_HEADER_PREFIX;
  return profile[setting];
}

/**
 * Whether a target has the service and a credential of a profile. Different names of one host (a
 * trailing dot, 127.0.0.1 for localhost) are the same service, so that no other name bypasses the
 * protections of the profile.
 */
export function isSameTarget(profile: Profile, { baseUrl, ...target }: Explicit): boolean {
  if (profile.baseUrl === undefined || !baseUrl) return false;
  const isSame = (setting: 'apiKey' | 'workspaceId') =>
    target[setting] !== undefined && profile[setting] === target[setting]?.value;
  // Compares the credentials first, because parsing URLs takes longer.
  if (!isSame('apiKey') && !isSame('workspaceId')) return false;
  const given = identifyService(baseUrl.value, baseUrl.source);
  return identifyService(profile.baseUrl, 'baseUrl') === given;
}

function identifyService(baseUrl: string, source: string): string {
  const url = new URL(parseBaseUrl(baseUrl, source));
  const host = isLoopback(url) ? 'localhost' : url.hostname.replace(/\.$/, '');
  return `${url.protocol}//${host}:${url.port}${url.pathname}`;
}

/** Describes why a profile that nobody named is not used: `the credentials of profile 'a' are …`. */
export function describeUnusedProfile({ value }: Sourced, { setting, own }: Difference): string {
  const owner = COMPARED[setting](own).replace(/^is /, '');
  return `the credentials of profile '${value}' are ${owner} only`;
}

/**
 * Creates the error for values that contradict the profile that a person named.
 * @param tokens the given tokens, which belong to the given URL and key, not to the profile
 */
export function createContradictionError(
  name: Sourced,
  differences: readonly Difference[],
  tokens: Pick<Layer, 'authToken' | 'workspaceAuthToken'>,
): SvcError {
  const [{ setting, own, given }] = differences as [Difference, ...Difference[]];
  const settings = differences.map((difference) => difference.setting);
  const isOther = (...identity: ComparedSetting[]) =>
    identity.some((each) => settings.includes(each));
  const others = [
    ...differences.map((difference) => difference.given),
    ...(isOther('baseUrl', 'apiKey') && tokens.authToken ? [tokens.authToken] : []),
    ...(isOther('baseUrl', 'workspaceId') && tokens.workspaceAuthToken
      ? [tokens.workspaceAuthToken]
      : []),
  ];
  const sources = others.map(({ source }) => source);
  const variables = sources.filter((source) => !source.startsWith('flag '));
  const flags = sources.flatMap((source) => source.match(/^flag (.*)/)?.[1] ?? []);
  const ways = [
    ...(variables.length > 0 ? [`unset ${variables.join(' ')}`] : []),
    ...(flags.length > 0 ? [`omit ${flags.join(' and ')}`] : []),
  ];
  return new SvcError(
    'usage',
    `profile '${name.value}' (${name.source}) ${COMPARED[setting](own)}, but ${given.source} is ${given.value}; nothing was sent`,
    { hint: `${ways.join(', and ')}, or choose another profile` },
  );
}

/** @throws SvcError `usage` if the target has another base URL than its file declares */
export function checkFileTarget({ baseUrl, profile }: CommandTarget, file: FileTarget): void {
  if (file.baseUrl === undefined || !baseUrl) return;
  const declared = parseBaseUrl(file.baseUrl, `${file.source}: baseUrl`);
  if (baseUrl.value === declared) return;
  throw new SvcError(
    'usage',
    `${file.source} is for ${declared}, but ${baseUrl.source} is ${profile ? 'for ' : ''}${baseUrl.value}; nothing was sent`,
    { hint: `use the profile or the variables of ${declared}` },
  );
}
