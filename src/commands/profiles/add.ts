import { resolve } from 'node:path';
import { abortable } from '../../kernel/abortable.ts';
import { SvcError } from '../../kernel/errors.ts';
import { credentialValue, secretValue } from '../../profiles/credential-value.ts';
import { checkBaseUrl, checkHeaderPrefix, checkName, type Profile, type Secrets } from '../../profiles/profile.ts';
import { readSecret, readSecretFile } from '../../profiles/secret-input.ts';
import { assertFree, profileStore } from '../../profiles/store.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue } from '../option-values.ts';
import { canAsk } from '../terminal/terminal.ts';

interface AddOptions {
  readonly name: string;
  readonly profile: Profile;
  readonly authToken: SecretSource | undefined;
  readonly workspaceAuthToken: SecretSource | undefined;
  /** The secrets go into a file, and the user knows. */
  readonly insecure: boolean;
  readonly replace: boolean;
}

/** Where a secret is read from: a file, or stdin when there is no path. */
interface SecretSource {
  readonly flag: string;
  readonly path?: string;
}

export async function addProfile(context: Context, invocation: Invocation): Promise<void> {
  await saveProfile(context, addOptions(context, invocation));
}

function addOptions(context: Context, { arguments: [name = ''], options }: Invocation): AddOptions {
  const text = (option: string, flag: string, check: (value: string, source: string) => string) => {
    const value = textValue(options, option);
    return value === undefined ? undefined : check(value, flag);
  };
  const { baseUrl } = context.options;
  const authToken = secretSource(options, 'auth-token', 'authToken');
  const workspaceAuthToken = secretSource(options, 'workspace-auth-token', 'workspaceAuthToken');
  if (authToken && workspaceAuthToken && !authToken.path && !workspaceAuthToken.path) {
    throw new SvcError('usage', `${authToken.flag} and ${workspaceAuthToken.flag}: stdin holds one secret`, {
      hint: 'read the other one from a file',
    });
  }
  return {
    name: checkName(name),
    profile: {
      baseUrl: baseUrl === undefined ? undefined : checkBaseUrl(baseUrl, '--base-url'),
      headerPrefix: text('headerPrefix', '--header-prefix', checkHeaderPrefix),
      apiKey: text('apiKey', '--api-key', credentialValue),
      workspaceId: text('workspaceId', '--workspace-id', credentialValue),
      org: textValue(options, 'org'),
      output: textValue(options, 'defaultOutput'),
      protected: options['protected'] === true ? true : undefined,
    },
    authToken,
    workspaceAuthToken,
    insecure: options['insecureStorage'] === true,
    replace: options['replace'] === true,
  };
}

function secretSource(options: Invocation['options'], flag: string, name: string): SecretSource | undefined {
  const path = textValue(options, `${name}File`);
  if (options[`${name}Stdin`] !== true) return path === undefined ? undefined : { flag: `--${flag}-file`, path };
  if (path === undefined) return { flag: `--${flag}-stdin` };
  throw new SvcError('usage', `--${flag}-stdin and --${flag}-file: give one of them`);
}

async function saveProfile(context: Context, options: AddOptions): Promise<void> {
  const { name, replace, insecure } = options;
  const store = profileStore(context);
  const before = await store.read();
  if (!replace) assertFree(before, name);
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
    throw new SvcError('usage', 'a secret is saved for one address only: --base-url is missing');
  }
  const { place, fault } = await store.add(name, profile, secrets, { replace, insecure });
  const saved = place === undefined || insecure || fault !== undefined ? '' : `, its secrets in the ${place}`;
  await context.note(
    `saved profile '${name}'${saved}${before.current === undefined ? ', the one in use from now on' : ''}`,
  );
  const lacking = lackingIn(profile, secrets);
  if (lacking.length > 0) await context.note(`it has no ${lacking.join(' and no ')}: that has to come from elsewhere`);
  if (fault !== undefined) {
    await context.warn(
      `the keychain ${fault}, so the secrets of '${name}' are stored unencrypted, readable by you only: ${place}`,
    );
  }
}

/** What no call can do without. */
function lackingIn({ baseUrl, apiKey, workspaceId }: Profile, secrets: Secrets): readonly string[] {
  const hasWorkspace = workspaceId !== undefined && secrets.workspaceAuthToken !== undefined;
  return [
    ...(baseUrl ? [] : ['base URL']),
    ...(apiKey || hasWorkspace ? [] : ['API key']),
    ...(secrets.authToken || hasWorkspace ? [] : ['auth token']),
  ];
}

/** Asks for what every profile needs, where somebody is there to answer. */
async function completeProfile(context: Context, profile: Profile): Promise<Profile> {
  if (!canAsk(context)) return profile;
  const baseUrl = profile.baseUrl ?? (await askChecked(context, 'Base URL', checkBaseUrl));
  const { apiKey, workspaceId } = profile;
  if (apiKey || workspaceId) return { ...profile, baseUrl };
  return { ...profile, baseUrl, apiKey: await askChecked(context, 'API key', credentialValue) };
}

/** Asks again where an answer cannot be, so that those before it are not lost. */
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
  const asker = await context.asker();
  return check(await asker.text({ message, check: problem }), message);
}

/** A secret from where the flags say, or from the one who can be asked. */
async function obtainSecret(
  context: Context,
  source: SecretSource | undefined,
  question: string | undefined,
): Promise<string | undefined> {
  if (source?.path !== undefined) return readSecretFile(resolve(context.cwd, source.path), context.signal);
  if (source) {
    const { isTerminal, stream } = context.io.stdin;
    if (!isTerminal) return readSecret(abortable(stream, context.signal), source.flag);
    throw new SvcError('usage', `${source.flag}: stdin is a terminal`, { hint: 'without the flag it is asked for' });
  }
  if (!question || !canAsk(context)) return undefined;
  return secretValue(await context.askSecret(question), question);
}
