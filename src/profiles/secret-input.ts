import { createReadStream } from 'node:fs';
import { SvcError } from '../kernel/errors.ts';
import { localFileError, textOf, withoutMark } from '../kernel/files.ts';
import { findNamedFile } from '../kernel/named-file.ts';
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
  return secretValue(withoutMark(textOf(Buffer.concat(chunks))), source);
}

/**
 * A secret from a file, or from a pipe such as `/dev/fd/3`.
 * @throws SvcError `usage` when there is no such file, `local` when it cannot be read
 */
export async function readSecretFile(path: string): Promise<string> {
  const found = await findNamedFile(path, '.');
  try {
    return await readSecret(createReadStream(found), path);
  } catch (error) {
    throw localFileError('read', path, error);
  }
}
