import { withTimeLimit } from '../../client/time-limit.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { readUntilAborted } from '../../kernel/read-until-aborted.ts';
import { type Profile, parseProfileName, type Secrets } from '../../profiles/profile.ts';
import { parseCredential } from '../../profiles/secret-input.ts';
import { assertNameAvailable, createProfileStore } from '../../profiles/store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { canAsk, withCiReason } from '../terminal/terminal.ts';
import type { AddFlags } from './flags.ts';
import {
  askChecked,
  askToken,
  type TokenName,
  verifySecrets,
  warnAboutStorage,
} from './prompts.ts';
import {
  checkApprovalRule,
  type FlagValues,
  parseTypedBaseUrl,
  readProfileFlags,
} from './read-flags.ts';
import { findKeyPassphrase } from './verify.ts';

export async function addProfile(
  context: Context,
  { arguments: [typedName], options }: Invocation<AddFlags>,
): Promise<void> {
  if (typedName === undefined && !canAsk(context)) {
    throw new SvcError('usage', 'the profile needs a name', {
      hint: withCiReason(
        context,
        hint`for example ${step('configure', 'login', 'prod')}; see ${step('help', 'login', '--help')}`,
      ),
    });
  }
  const { replace = false, insecureStorage: insecure = false } = options;
  const given = await readProfileFlags(context, options);
  if (!hasSecrets(given.secrets)) await refuseUnreadSecret(context);
  const store = createProfileStore(context);
  const before = await store.read();
  const checkName = (typed: string) => {
    const name = parseProfileName(typed);
    if (!replace) assertNameAvailable(before, name);
    return name;
  };
  const name =
    typedName === undefined
      ? await askChecked(context, 'Profile name', checkName)
      : checkName(typedName);
  const { caFile, clientCert, clientKey } = given.profile;
  const profile = {
    ...(await completeProfile(context, given)),
    caFile: caFile || undefined,
    clientCert: clientCert || undefined,
    clientKey: clientKey || undefined,
    ...combineProtections(before.profiles.get(name), given.profile, options),
  };
  await checkApprovalRule(profile);
  const { secrets, isVerified } = await completeSecrets(
    context,
    profile,
    given.secrets,
    options.verify !== false,
  );
  const { location, keychainProblem } = await store.add(name, profile, secrets, {
    replace,
    insecure,
  });
  await context.note(
    describeSaved(name, profile, [
      ...(hasSecrets(secrets) ? [isVerified ? 'verified' : 'not verified'] : []),
      ...(location === undefined || insecure || keychainProblem !== undefined
        ? []
        : [`secrets in the ${location}`]),
      ...(before.current === undefined ? ['selected'] : []),
    ]),
  );
  const missing = missingFields(profile, secrets);
  if (missing.length > 0)
    await context.note(
      `the profile has no ${missing.join(' and no ')}; provide the rest with environment variables`,
    );
  await warnAboutStorage(context, name, { location, keychainProblem });
}

/** Time for a pipe to deliver a secret, in milliseconds: some never end. */
const INPUT_TIMEOUT = 1_000;

/** Refuses a secret on stdin that no flag would read, instead of saving a profile without it. */
async function refuseUnreadSecret({ io: { stdin }, signal }: Context): Promise<void> {
  if (stdin.isTerminal) return;
  const hasText = async (limited: AbortSignal) => {
    for await (const chunk of readUntilAborted(stdin.stream, limited))
      if (String(chunk).trim() !== '') return true;
    return false;
  };
  const isGiven = await withTimeLimit(INPUT_TIMEOUT, signal, hasText).catch(() => false);
  signal.throwIfAborted();
  if (isGiven)
    throw new SvcError('usage', 'stdin has content, but no flag reads it; nothing was saved', {
      hint: 'to read the auth token of the API key from stdin, add --auth-token-stdin',
    });
}

function describeSaved(
  name: string,
  { apiKey, workspaceId, baseUrl }: Profile,
  details: readonly string[],
): string {
  const owners = [apiKey && `API key ${apiKey}`, workspaceId && `workspace ${workspaceId}`].filter(
    Boolean,
  );
  const owner = owners.length > 0 ? ` for ${owners.join(' and ')}` : '';
  const host = baseUrl === undefined ? '' : ` at ${new URL(baseUrl).host}`;
  return `Saved profile '${name}'${owner}${host}${details.length > 0 ? ` (${details.join(', ')})` : ''}`;
}

function missingFields(
  { baseUrl, apiKey, workspaceId }: Profile,
  secrets: Secrets,
): readonly string[] {
  const hasWorkspace = workspaceId !== undefined && secrets.workspaceAuthToken !== undefined;
  return [
    ...(baseUrl ? [] : ['base URL']),
    ...(apiKey || hasWorkspace ? [] : ['API key']),
    ...(secrets.authToken || hasWorkspace ? [] : ['auth token']),
  ];
}

async function completeProfile(
  context: Context,
  { profile, secrets: { authToken, workspaceAuthToken } }: FlagValues,
): Promise<Profile> {
  if (!canAsk(context)) return profile;
  const baseUrl = profile.baseUrl ?? (await askChecked(context, 'Base URL', parseTypedBaseUrl));
  const needsApiKey =
    authToken !== undefined || (!profile.workspaceId && workspaceAuthToken === undefined);
  const ask = (message: string) => askChecked(context, message, parseCredential);
  const apiKey = profile.apiKey ?? (needsApiKey ? await ask('API key') : undefined);
  const workspaceId =
    profile.workspaceId ?? (workspaceAuthToken ? await ask('Workspace ID') : undefined);
  return { ...profile, baseUrl, apiKey, workspaceId };
}

/** Asks for missing secrets on a terminal, and verifies all of them. */
async function completeSecrets(
  context: Context,
  profile: Profile,
  given: Secrets,
  verify: boolean,
): Promise<{ readonly secrets: Secrets; readonly isVerified: boolean }> {
  const owners = { authToken: profile.apiKey, workspaceAuthToken: profile.workspaceId };
  let secrets = given;
  const typed: TokenName[] = [];
  for (const name of ['authToken', 'workspaceAuthToken'] as const) {
    const owner = owners[name];
    if (given[name] !== undefined || !owner || !canAsk(context)) continue;
    secrets = { ...secrets, [name]: await askToken(context, name, owner) };
    typed.push(name);
  }
  secrets = { ...secrets, clientKeyPassphrase: await findKeyPassphrase(context, profile) };
  if (hasSecrets(secrets) && !profile.baseUrl)
    throw new SvcError('usage', '--base-url is required to save a secret');
  if (!verify || context.options.dryRun) return { secrets, isVerified: false };
  return verifySecrets(context, profile, secrets, typed);
}

function hasSecrets(secrets: Secrets): boolean {
  return Object.values(secrets).some(Boolean);
}

/**
 * Combines the protections of a replaced profile with those of the flags: replacing a profile turns
 * none of them off.
 */
function combineProtections(
  before: Profile | undefined,
  given: Profile,
  options: AddFlags,
): Pick<Profile, 'protected' | 'readOnly' | 'approvals' | 'signers'> {
  const { approvals, signers } = before?.approvals === undefined ? given : before;
  return {
    protected: before?.protected || options.protected || undefined,
    readOnly: before?.readOnly || options.readOnly || undefined,
    approvals,
    signers,
  };
}
