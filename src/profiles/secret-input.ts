import { SvcError } from '../kernel/errors.ts';
import { textOf, withoutMark } from '../kernel/files.ts';
import { readNamedFile } from '../kernel/named-file.ts';
import { secretValue } from './credential-value.ts';

const LONGEST = 64 * 1024;

/** A secret read to the end of a stream. @throws SvcError `usage`, naming the source, when no header can carry it */
export async function readSecret(stream: AsyncIterable<unknown>, source: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as string | Uint8Array);
    length += bytes.length;
    if (length > LONGEST) throw new SvcError('usage', `${source}: it is longer than ${LONGEST} bytes`);
    chunks.push(bytes);
  }
  return secretIn(Buffer.concat(chunks), source);
}

/**
 * A secret from a file, or from a pipe such as `/dev/fd/3`, which `--auth-token-file <(pass show svc)` names.
 * @throws SvcError `usage` when there is no such file, `local` when it cannot be read
 */
export async function readSecretFile(path: string, signal?: AbortSignal): Promise<string> {
  return secretIn(await readNamedFile(path, '.', { most: LONGEST, ...(signal && { signal }) }), path);
}

function secretIn(bytes: Buffer, source: string): string {
  return secretValue(withoutMark(textOf(bytes)), source);
}
