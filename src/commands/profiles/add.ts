import { resolve } from 'node:path';
import { parseBaseUrl } from '../../client/target.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { SETTING_VARIABLES } from '../../kernel/variables.ts';
import { parseCredential, parseSecret } from '../../profiles/credential-value.ts';
import {
  type Profile,
  parseHeaderPrefix,
  parseProfileName,
  type Secrets,
} from '../../profiles/profile.ts';
import { assertNameAvailable, createProfileStore } from '../../profiles/store.ts';
import { readSecretFlag } from '../call/secret-flag.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { canAsk } from '../terminal/terminal.ts';
import type { AddFlags } from './flags.ts';

type AddOptions = Awaited<ReturnType<typeof readAddOptions>>;

async function readAddOptions(
  context: Context,
  { arguments: [name], options }: Invocation<AddFlags>,
) {
  if (name === undefined && !canAsk(context)) {
    throw new SvcError('usage', 'the profile needs a name', {
      hint: hint`for example ${step('configure', 'profiles', 'add', 'prod')}; see ${step('help', 'profiles', 'add', '--help')}`,
    });
  }
  const checked = (
    value: string | undefined,
    flag: string,
    check: (value: string, source: string) => string,
  ) => (value === undefined ? undefined : check(value, flag));
  const { baseUrl } = context.options;
  const path = (given: string | undefined) =>
    given === undefined ? undefined : resolve(context.cwd, given);
  const { workspaceAuthTokenFile, workspaceAuthTokenStdin } = options;
  if (options.authTokenStdin && workspaceAuthTokenStdin) {
    const problem =
      '--auth-token-stdin and --workspace-auth-token-stdin: only one secret can be read from stdin';
    throw new SvcError('usage', problem, { hint: 'read the other secret from a file' });
  }
  return {
    name: name === undefined ? undefined : parseProfileName(name),
    profile: {
      baseUrl: baseUrl === undefined ? undefined : parseBaseUrl(baseUrl, '--base-url'),
      headerPrefix: checked(options.headerPrefix, '--header-prefix', parseHeaderPrefix),
      apiKey: checked(options.apiKey, '--api-key', parseCredential),
      workspaceId: checked(options.workspaceId, '--workspace-id', parseCredential),
      clientCert: path(context.options.clientCert),
      clientKey: path(context.options.clientKey),
      org: options.org,
      output: options.defaultOutput,
      protected: options.protected ? true : undefined,
      readOnly: options.readOnly ? true : undefined,
    },
    authToken: await readSecretFlag(
      context,
      'auth-token',
      options.authTokenFile,
      options.authTokenStdin,
    ),
    workspaceAuthToken: await readSecretFlag(
      context,
      'workspace-auth-token',
      workspaceAuthTokenFile,
      workspaceAuthTokenStdin,
    ),
    insecure: options.insecureStorage === true,
    replace: options.replace === true,
    verify: options.verify !== false,
  };
}

export async function addProfile(
  context: Context,
  invocation: Invocation<AddFlags>,
): Promise<void> {
  const options = await readAddOptions(context, invocation);
  const { replace, insecure } = options;
  const store = createProfileStore(context);
  const before = await store.read();
  const checkName = (typed: string) => {
    const name = parseProfileName(typed);
    if (!replace) assertNameAvailable(before, name);
    return name;
  };
  const name =
    options.name === undefined
      ? await askChecked(context, 'Profile name', checkName)
      : checkName(options.name);
  const profile = {
    ...(await completeProfile(context, options)),
    ...(before.profiles.get(name)?.readOnly && { readOnly: true }),
  };
  const ask = (owner: string | undefined, name: string) =>
    owner && canAsk(context) ? askSecret(context, `Auth token of ${name}${owner}`) : undefined;
  const secrets: Secrets = {
    authToken: options.authToken ?? (await ask(profile.apiKey, '')),
    workspaceAuthToken:
      options.workspaceAuthToken ?? (await ask(profile.workspaceId, 'workspace ')),
    clientKeyPassphrase: await findKeyPassphrase(context, profile),
  };
  const hasSecrets = Object.values(secrets).some(Boolean);
  if (hasSecrets && !profile.baseUrl)
    throw new SvcError('usage', '--base-url is required to save a secret');
  const isVerified =
    options.verify && !context.options.dryRun && (await verify(context, profile, secrets));
  const { location, keychainProblem } = await store.add(name, profile, secrets, {
    replace,
    insecure,
  });
  await context.note(
    describeSaved(name, profile, [
      ...(hasSecrets ? [isVerified ? 'verified' : 'not verified'] : []),
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
  const consequence = `the secrets of '${name}' are stored unencrypted in a private ${location}`;
  if (keychainProblem !== undefined)
    await context.warn(`the keychain ${keychainProblem}, so ${consequence}`);
}

/** Checks the client certificate. @returns the passphrase of its key, if it has one */
async function findKeyPassphrase(
  context: Context,
  { clientCert, clientKey }: Profile,
): Promise<string | undefined> {
  if (clientCert === undefined && clientKey === undefined) return undefined;
  const { loadClientCertificate } = await import('../call/client-certificate.ts');
  const variable = SETTING_VARIABLES.clientKeyPassphrase;
  const sourced = (name: string, value: string | undefined, source: string) =>
    optionalProperty(name, value ? { value, source } : undefined);
  const certificate = await loadClientCertificate(context, {
    ...sourced('clientCert', clientCert, '--client-cert'),
    ...sourced('clientKey', clientKey, '--client-key'),
    ...sourced('clientKeyPassphrase', context.environment[variable], variable),
  });
  return certificate?.passphrase;
}

async function verify(context: Context, profile: Profile, secrets: Secrets): Promise<boolean> {
  const { verifyCredentials } = await import('./verify.ts');
  const { isVerified, problem } = await verifyCredentials(context, profile, secrets);
  if (problem !== undefined)
    await context.warn(`the credentials could not be verified: ${problem}`);
  return isVerified;
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

async function completeProfile(context: Context, options: AddOptions): Promise<Profile> {
  const { profile, authToken, workspaceAuthToken } = options;
  if (!canAsk(context)) return profile;
  const baseUrl = profile.baseUrl ?? (await askChecked(context, 'Base URL', parseBaseUrl));
  const needsApiKey =
    authToken !== undefined || (!profile.workspaceId && workspaceAuthToken === undefined);
  const ask = (message: string) => askChecked(context, message, parseCredential);
  const apiKey = profile.apiKey ?? (needsApiKey ? await ask('API key') : undefined);
  const workspaceId =
    profile.workspaceId ?? (workspaceAuthToken ? await ask('Workspace ID') : undefined);
  return { ...profile, baseUrl, apiKey, workspaceId };
}

type Check = (value: string, source: string) => string;

async function askChecked(context: Context, message: string, check: Check): Promise<string> {
  const prompter = await context.prompter();
  const answer = await prompter.text({
    message,
    validate: (typed) => findProblem(() => check(typed, message)),
  });
  return check(answer, message);
}

async function askSecret(context: Context, question: string): Promise<string> {
  const prompter = await context.prompter();
  for (;;) {
    const typed = await prompter.secret(question);
    const problem = findProblem(() => parseSecret(typed, question));
    if (problem === undefined) return parseSecret(typed, question);
    await context.warn(problem);
  }
}

function findProblem(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
  }
}
