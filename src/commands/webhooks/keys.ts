import { messageOf, SvcError } from '../../kernel/errors.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { loadMachineSecret } from '../../profiles/machine-secret.ts';
import { readSecretFromFile } from '../../profiles/secret-input.ts';
import {
  createSigningSecret,
  parseSigningSecret,
  type VerificationSecrets,
} from '../../webhooks/signature.ts';
import type { Context } from '../context.ts';
import type { ListenFlags, SendFlags } from './flags.ts';
import type { SenderCredentials } from './payload.ts';

type VerificationFlags = Pick<ListenFlags, 'secretFile' | 'authTokenFile'>;

export async function readVerificationSecrets(
  flags: VerificationFlags,
  signal: AbortSignal,
): Promise<VerificationSecrets> {
  const { secretFile: paths = [], authTokenFile: tokenFile } = flags;
  const secrets = await Promise.all(paths.map((path) => readSigningSecret(path, signal)));
  return {
    secrets,
    authToken: tokenFile === undefined ? undefined : await readSecretFromFile(tokenFile, signal),
  };
}

export async function readSigningSecret(path: string, signal: AbortSignal): Promise<string> {
  const secret = await readSecretFromFile(path, signal);
  parseSigningSecret(secret);
  return secret;
}

export async function readKey(
  { cwd, signal }: Context,
  file: string | undefined,
  check: (key: string) => unknown,
) {
  if (file === undefined) return undefined;
  const key = (await readNamedFile(file, cwd, { signal })).toString();
  check(key);
  return key;
}

/** @throws SvcError `usage` if the credentials do not fit the form */
export async function readSenderCredentials(
  {
    form: named,
    secretFile,
    authTokenFile: tokenFile,
  }: Pick<SendFlags, 'form' | 'secretFile' | 'authTokenFile'>,
  signal: AbortSignal,
): Promise<SenderCredentials> {
  const form = named ?? (tokenFile === undefined ? 'advanced' : 'basic');
  if (form === 'basic' && secretFile !== undefined) {
    throw new SvcError(
      'usage',
      '--secret-file does not apply to basic deliveries, which are not signed',
      {
        hint: 'use --auth-token-file or --form advanced',
      },
    );
  }
  if (form === 'advanced' && tokenFile !== undefined) {
    throw new SvcError(
      'usage',
      '--auth-token-file does not apply to advanced deliveries, which carry no token',
      {
        hint: 'use --secret-file or --form basic',
      },
    );
  }
  return {
    form,
    secret: secretFile === undefined ? undefined : await readSigningSecret(secretFile, signal),
    authToken: tokenFile === undefined ? undefined : await readSecretFromFile(tokenFile, signal),
  };
}

export function loadSigningSecret(context: Context): Promise<string> {
  return loadMachineSecret('webhook-secret', createSigningSecret, context);
}

/**
 * Loads this machine's signing secret. If the secret cannot be stored, creates one for this run.
 */
export async function loadOrCreateSigningSecret(context: Context): Promise<string> {
  try {
    return await loadSigningSecret(context);
  } catch (error) {
    context.signal.throwIfAborted();
    await context.warn(
      `the signing secret cannot be stored and applies only to this run: ${messageOf(error)}`,
    );
    return createSigningSecret();
  }
}
