import { resolve } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { readUntilAborted } from '../../kernel/read-until-aborted.ts';
import { parseCredential, parseSecret } from '../../profiles/credential-value.ts';
import {
  type Profile,
  parseBaseUrl,
  parseHeaderPrefix,
  parseProfileName,
  type Secrets,
} from '../../profiles/profile.ts';
import { readSecretFromFile, readSecretFromStream } from '../../profiles/secret-input.ts';
import { assertNameAvailable, createProfileStore } from '../../profiles/store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { canAsk } from '../terminal/terminal.ts';
import type { AddFlags } from './flags.ts';

interface AddOptions {
  readonly name: string;
  readonly profile: Profile;
  readonly authToken: SecretSource | undefined;
  readonly workspaceAuthToken: SecretSource | undefined;
  /** Store the secrets in a file, as the user requested. */
  readonly insecure: boolean;
  readonly replace: boolean;
}

/** Source of a secret: a file, or stdin if there is no path. */
interface SecretSource {
  readonly flag: string;
  readonly path?: string;
}

export async function addProfile(context: Context, invocation: Invocation<AddFlags>): Promise<void> {
  await saveProfile(context, readAddOptions(context, invocation));
}

function readAddOptions(context: Context, { arguments: [name = ''], options }: Invocation<AddFlags>): AddOptions {
  const checked = (value: string | undefined, flag: string, check: (value: string, source: string) => string) =>
    value === undefined ? undefined : check(value, flag);
  const { baseUrl } = context.options;
  const authToken = findSecretSource('auth-token', options.authTokenFile, options.authTokenStdin);
  const workspaceAuthToken = findSecretSource(
    'workspace-auth-token',
    options.workspaceAuthTokenFile,
    options.workspaceAuthTokenStdin,
  );
  if (authToken && workspaceAuthToken && !authToken.path && !workspaceAuthToken.path) {
    throw new SvcError(
      'usage',
      `${authToken.flag} and ${workspaceAuthToken.flag}: only one secret can be read from stdin`,
      {
        hint: 'read the other secret from a file',
      },
    );
  }
  return {
    name: parseProfileName(name),
    profile: {
      baseUrl: baseUrl === undefined ? undefined : parseBaseUrl(baseUrl, '--base-url'),
      headerPrefix: checked(options.headerPrefix, '--header-prefix', parseHeaderPrefix),
      apiKey: checked(options.apiKey, '--api-key', parseCredential),
      workspaceId: checked(options.workspaceId, '--workspace-id', parseCredential),
      org: options.org,
      output: options.defaultOutput,
      protected: options.protected ? true : undefined,
    },
    authToken,
    workspaceAuthToken,
    insecure: options.insecureStorage === true,
    replace: options.replace === true,
  };
}

function findSecretSource(flag: string, path: string | undefined, fromStdin = false): SecretSource | undefined {
  if (!fromStdin) return path === undefined ? undefined : { flag: `--${flag}-file`, path };
  if (path === undefined) return { flag: `--${flag}-stdin` };
  throw new SvcError('usage', `--${flag}-stdin and --${flag}-file cannot be combined`);
}

async function saveProfile(context: Context, options: AddOptions): Promise<void> {
  const { name, replace, insecure } = options;
  const store = createProfileStore(context);
  const before = await store.read();
  if (!replace) assertNameAvailable(before, name);
  const profile = await completeProfile(context, options.profile);
  const secrets: Secrets = {
    authToken: await obtainSecret(context, options.authToken, profile.apiKey && `Auth token of ${profile.apiKey}`),
    workspaceAuthToken: await obtainSecret(
      context,
      options.workspaceAuthToken,
      profile.workspaceId && `Auth token of workspace ${profile.workspaceId}`,
    ),
  };
  const hasSecrets = Object.values(secrets).some(Boolean);
  if (hasSecrets && !profile.baseUrl) {
    throw new SvcError('usage', '--base-url is required to save a secret');
  }
  const { location: place, keychainProblem: fault } = await store.add(name, profile, secrets, { replace, insecure });
  const saved = place === undefined || insecure || fault !== undefined ? '' : `, its secrets in the ${place}`;
  await context.note(`saved profile '${name}'${saved}${before.current === undefined ? ' and selected it' : ''}`);
  const missing = missingFields(profile, secrets);
  if (missing.length > 0)
    await context.note(
      `the profile has no ${missing.join(' and no ')}; provide the missing values with environment variables`,
    );
  if (fault !== undefined) {
    await context.warn(
      `the keychain ${fault}, so the secrets of '${name}' are stored unencrypted in a private file: ${place}`,
    );
  }
}

/** Lists the fields that every call requires but the profile lacks. */
function missingFields({ baseUrl, apiKey, workspaceId }: Profile, secrets: Secrets): readonly string[] {
  const hasWorkspace = workspaceId !== undefined && secrets.workspaceAuthToken !== undefined;
  return [
    ...(baseUrl ? [] : ['base URL']),
    ...(apiKey || hasWorkspace ? [] : ['API key']),
    ...(secrets.authToken || hasWorkspace ? [] : ['auth token']),
  ];
}

/** Prompts for missing required fields if prompting is possible. */
async function completeProfile(context: Context, profile: Profile): Promise<Profile> {
  if (!canAsk(context)) return profile;
  const baseUrl = profile.baseUrl ?? (await askChecked(context, 'Base URL', parseBaseUrl));
  const { apiKey, workspaceId } = profile;
  if (apiKey || workspaceId) return { ...profile, baseUrl };
  return { ...profile, baseUrl, apiKey: await askChecked(context, 'API key', parseCredential) };
}

/** Prompts until the answer is valid, so that earlier answers are not lost. */
async function askChecked(
  context: Context,
  message: string,
  check: (value: string, source: string) => string,
): Promise<string> {
  const problem = (answer: string) => {
    try {
      check(answer, message);
      return undefined;
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
    }
  };
  const asker = await context.prompter();
  return check(await asker.text({ message, validate: problem }), message);
}

/** Reads a secret from the source given by flags, or prompts for it. */
async function obtainSecret(
  context: Context,
  source: SecretSource | undefined,
  question: string | undefined,
): Promise<string | undefined> {
  if (source?.path !== undefined) return readSecretFromFile(resolve(context.cwd, source.path), context.signal);
  if (source) {
    const { isTerminal, stream } = context.io.stdin;
    if (!isTerminal) return readSecretFromStream(readUntilAborted(stream, context.signal), source.flag);
    throw new SvcError('usage', `${source.flag}: stdin is a terminal`, { hint: 'omit the flag to be prompted' });
  }
  if (!question || !canAsk(context)) return undefined;
  return parseSecret(await context.askSecret(question), question);
}
