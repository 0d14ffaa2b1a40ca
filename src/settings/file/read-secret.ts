import { resolve } from 'node:path';
import { SvcError } from '../../kernel/errors.ts';
import { decodeSecretBytes } from '../../kernel/files.ts';
import type { Environment } from '../../kernel/folders.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { rememberSecret } from '../../kernel/redact.ts';
import { type SecretReference, SecretValue } from '../secret-value.ts';

const MAX_SECRET_BYTES = 64 * 1024;

/**
 * Reads a secret, and masks it in all later output. The final newline of a file is not part of the
 * secret.
 * @param folder where relative paths start
 * @throws SvcError `invalid_input` or `usage` if the variable or the file does not exist, or is empty,
 * or if the file is not a regular file
 */
export async function readSecret(
  reference: SecretReference,
  variables: Environment,
  folder: string,
  signal: AbortSignal,
): Promise<SecretValue> {
  if ('env' in reference) {
    const secret = Object.hasOwn(variables, reference.env) ? variables[reference.env] : undefined;
    if (secret === undefined)
      throw new SvcError('invalid_input', `the environment variable ${reference.env} is not set`);
    return createSecret(reference, secret, `the environment variable ${reference.env}`);
  }
  const limits = { maxBytes: MAX_SECRET_BYTES, onlyRegular: true, signal };
  const bytes = await readNamedFile(reference.file, folder, limits);
  const source = `the secret file ${reference.file}`;
  const secret = decodeSecretBytes(bytes, source).replace(/\r?\n$/, '');
  return createSecret({ file: resolve(folder, reference.file) }, secret, source);
}

function createSecret(reference: SecretReference, secret: string, source: string): SecretValue {
  if (secret === '') throw new SvcError('invalid_input', `${source} is empty`);
  return new SecretValue(reference, rememberSecret(secret));
}
