import { readNamedFile } from '../../kernel/named-file.ts';
import { readSecretFromFile } from '../../profiles/secret-input.ts';
import { parsePrivateKey, parsePublicKey } from '../../webhooks/keys.ts';
import { parseSigningSecret } from '../../webhooks/signature.ts';
import type { VerificationSecrets } from '../../webhooks/verification.ts';
import type { Context } from '../context.ts';
import type { ListenFlags } from './flags.ts';

type VerificationFlags = Pick<ListenFlags, 'secretFile' | 'authTokenFile'>;

/** Reads and validates the secrets in `--secret-file` and the token in `--auth-token-file`. */
export async function readVerificationSecrets(
  { secretFile: paths = [], authTokenFile: tokenFile }: VerificationFlags,
  signal: AbortSignal,
): Promise<VerificationSecrets> {
  const secrets = await Promise.all(paths.map((path) => readSigningSecret(path, signal)));
  return { secrets, authToken: tokenFile === undefined ? undefined : await readSecretFromFile(tokenFile, signal) };
}

export async function readSigningSecret(path: string, signal: AbortSignal): Promise<string> {
  const secret = await readSecretFromFile(path, signal);
  parseSigningSecret(secret);
  return secret;
}

export async function readPrivateKey(context: Context, path: string | undefined): Promise<string | undefined> {
  const text = await readKeyFile(context, path);
  if (text !== undefined) parsePrivateKey(text);
  return text;
}

export async function readPublicKey(context: Context, path: string | undefined): Promise<string | undefined> {
  const text = await readKeyFile(context, path);
  if (text !== undefined) parsePublicKey(text);
  return text;
}

async function readKeyFile({ cwd, signal }: Context, file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : (await readNamedFile(file, cwd, { signal })).toString();
}
