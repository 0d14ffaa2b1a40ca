import { TextDecoder } from 'node:util';
import { decompress, readFileBytes } from './bytes.ts';

/** Whether a file is UTF-8 that contains more than ASCII characters, only ASCII, or something else. */
export async function detectUtf8(
  path: string,
  name: string,
  signal: AbortSignal,
): Promise<'utf-8' | 'ascii' | 'other'> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isAscii = true;
  try {
    for await (const chunk of decompress(readFileBytes(path, name, signal), name)) {
      isAscii &&= chunk.every((byte) => byte < 0x80);
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) return 'other';
    throw error;
  }
  return isAscii ? 'ascii' : 'utf-8';
}
