import { findHeaderValueProblem } from '../client/credentials.ts';
import { SvcError } from '../kernel/errors.ts';
import { decodeSecretBytes } from '../kernel/files.ts';
import { isObject, tryParseJson } from '../kernel/json.ts';
import { readNamedFile } from '../kernel/named-file.ts';
import { rememberSecret } from '../kernel/redact.ts';

const MAX_SECRET_BYTES = 64 * 1024;

/**
 * Reads a secret from a stream.
 * @throws SvcError `usage`, naming the source, if the text is not valid in a header
 */
export async function readSecretFromStream(
  stream: AsyncIterable<unknown>,
  source: string,
): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as string | Uint8Array);
    length += bytes.length;
    if (length > MAX_SECRET_BYTES)
      throw new SvcError('usage', `${source}: the secret is longer than ${MAX_SECRET_BYTES} bytes`);
    chunks.push(bytes);
  }
  return decodeSecret(Buffer.concat(chunks), source);
}

/**
 * Reads a secret from a file, or from a pipe such as `<(pass show svc)`.
 * @throws SvcError `usage` if the file does not exist, `local` otherwise
 */
export async function readSecretFromFile(path: string, signal: AbortSignal): Promise<string> {
  return decodeSecret(await readNamedFile(path, '.', { maxBytes: MAX_SECRET_BYTES, signal }), path);
}

function decodeSecret(bytes: Buffer, source: string): string {
  const text = rememberSecret(decodeSecretBytes(bytes, source));
  if (isResult(text))
    throw new SvcError('usage', `${source}: contains the result of a command, not only a secret`, {
      hint: 'to save only the secret, add -q to the command',
    });
  return parseSecret(text, source);
}

/** Whether a text is a table or a document, as commands print results without `-q`. */
function isResult(text: string): boolean {
  const isTable = /^\s*\S+( {2,}|,|: )\S.*\n.*\S/m.test(text);
  return isTable || isObject(tryParseJson(text));
}

/**
 * Strips trailing newlines.
 * @throws SvcError `usage`, naming the source, if the value is not valid in a header
 */
export function parseCredential(text: string, source: string): string {
  const value = text.replace(/(\r?\n)+$/, '');
  const problem = findHeaderValueProblem(value);
  if (problem) throw new SvcError('usage', `${source}: ${problem}`);
  return value;
}

export function parseSecret(text: string, source: string): string {
  return rememberSecret(parseCredential(rememberSecret(text), source));
}
