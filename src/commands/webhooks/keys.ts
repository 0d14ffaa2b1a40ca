import { readNamedFile } from '../../kernel/named-file.ts';
import { readSecretFile } from '../../profiles/secret-input.ts';
import { privateKeyOf, publicKeyOf } from '../../webhooks/keys.ts';
import { signingKey } from '../../webhooks/signature.ts';
import type { Proofs } from '../../webhooks/verification.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { textValue, textValues } from '../option-values.ts';

/** The signing secrets and the token that `--secret-file` and `--auth-token-file` name. What is none is refused now. */
export async function readProofs({ options }: Pick<Invocation, 'options'>, signal: AbortSignal): Promise<Proofs> {
  const tokenFile = textValue(options, 'authTokenFile');
  const secrets = await Promise.all(textValues(options, 'secretFile').map((path) => readSigningSecret(path, signal)));
  return { secrets, authToken: tokenFile === undefined ? undefined : await readSecretFile(tokenFile, signal) };
}

export async function readSigningSecret(path: string, signal: AbortSignal): Promise<string> {
  const secret = await readSecretFile(path, signal);
  signingKey(secret);
  return secret;
}

/** The text of `--private-key`, checked. */
export async function readPrivateKey(context: Context, options: Invocation['options']): Promise<string | undefined> {
  const text = await readKey(context, textValue(options, 'privateKey'));
  if (text !== undefined) privateKeyOf(text);
  return text;
}

/** The text of `--encrypt-for`, checked. */
export async function readPublicKey(context: Context, options: Invocation['options']): Promise<string | undefined> {
  const text = await readKey(context, textValue(options, 'encryptFor'));
  if (text !== undefined) publicKeyOf(text);
  return text;
}

async function readKey({ cwd, signal }: Context, file: string | undefined): Promise<string | undefined> {
  return file === undefined ? undefined : (await readNamedFile(file, cwd, { signal })).toString();
}
