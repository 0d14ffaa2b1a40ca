import { open, rm, stat } from 'node:fs/promises';
import { SvcError } from '../kernel/errors.ts';
import { createLocalFileError } from '../kernel/files.ts';
import { readFileBytes, readStreamBytes } from './source/bytes.ts';

export interface FileFingerprint {
  readonly bytes: number;
  readonly sha256: string;
}

/** The bytes of an input, which can be read more than once. */
export interface InputBytes {
  readonly path: string;
  readonly size: number | undefined;
  readonly isSpooled: boolean;
  /**
   * Reads the bytes from the start. The first read must reach the end before the second one begins.
   */
  read(): AsyncIterable<Uint8Array>;
  discard(): Promise<void>;
}

/**
 * Opens a regular file. `read` throws SvcError `invalid_input` if the file changed since the first read.
 */
export function openFileBytes(
  path: string,
  name: string,
  firstSize: number,
  signal: AbortSignal,
): InputBytes {
  let firstState: string | undefined;
  let latestSize = firstSize;
  async function requireUnchanged(): Promise<void> {
    const { size, mtimeMs, ino } = await stat(path).catch((error: unknown) => {
      throw createLocalFileError('read', name, error);
    });
    const state = `${size} ${mtimeMs} ${ino}`;
    firstState ??= state;
    latestSize = size;
    if (state === firstState) return;
    throw new SvcError('invalid_input', `${name} changed while svc was reading it`, {
      hint: 'try again when no other process is writing to the file',
    });
  }
  return {
    path,
    get size() {
      return latestSize;
    },
    isSpooled: false,
    async *read() {
      await requireUnchanged();
      yield* readFileBytes(path, name, signal);
      await requireUnchanged();
    },
    // The file belongs to the user.
    discard: async () => undefined,
  };
}

/**
 * Opens a pipe. The first read copies its bytes to a spool, a private file that later reads use.
 * @param stream called when the first read starts, because opening a FIFO waits for a writer
 */
export function spoolBytes(
  path: string,
  name: string,
  stream: () => Promise<NodeJS.ReadableStream>,
  signal: AbortSignal,
): InputBytes {
  let state: 'untouched' | 'filling' | 'full' = 'untouched';
  async function* fillSpool(): AsyncGenerator<Uint8Array> {
    const fail = (error: unknown) => {
      throw createLocalFileError('write', path, error);
    };
    const file = await open(path, 'wx', 0o600).catch(fail);
    state = 'filling';
    try {
      for await (const chunk of readStreamBytes(await stream(), name, signal)) {
        await file.appendFile(chunk).catch(fail);
        yield chunk;
      }
      state = 'full';
    } finally {
      await file.close();
    }
  }
  return {
    path,
    size: undefined,
    isSpooled: true,
    read() {
      if (state === 'filling')
        throw new TypeError('a pipe must be read to its end before it is read again');
      return state === 'full' ? readFileBytes(path, name, signal) : fillSpool();
    },
    discard: async () => {
      if (state !== 'untouched') await rm(path, { force: true });
    },
  };
}
