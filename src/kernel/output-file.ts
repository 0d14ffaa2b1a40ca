import { constants } from 'node:fs';
import { type FileHandle, open, realpath, rm, stat } from 'node:fs/promises';
import { type Clock, systemClock } from './clock.ts';
import { SvcError, systemErrorCode } from './errors.ts';
import { flush, localFileError, replaceFile } from './files.ts';
import { isDescriptorPath } from './read-file.ts';

export interface OutputRequest {
  /**
   * How to treat an existing regular file. `replace` collects the text and replaces the file when
   * it is closed; the others write as the text arrives, to an emptied file, to the end of the
   * existing one, or only to a new file.
   */
  readonly existing: 'replace' | 'empty' | 'append' | 'fail';
  /**
   * Permissions of a regular file (default: only its owner can read it). `unchanged` keeps those of
   * an existing file.
   */
  readonly mode?: number | 'unchanged';
  /** Encodes text that is written as it arrives (default: as UTF-8). Not for `replace`. */
  readonly encode?: ((text: string) => Uint8Array) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** Destination that a user named for the output of a command. */
export interface OutputFile {
  readonly path: string;
  /** False for devices and pipes, which svc never replaces, truncates, or removes. */
  readonly isRegular: boolean;
  write(text: string): Promise<void>;
  /** Flushes written text of a regular file to the disk. */
  sync(): Promise<void>;
  /**
   * Truncates the file to at most `bytes`. Returns the resulting size; 0 if the file is not
   * regular.
   */
  truncateTo(bytes: number): Promise<number>;
  close(): Promise<void>;
  /** Closes the file and removes it if it is regular. A file to replace keeps its old content. */
  discard(): Promise<void>;
}

/**
 * Opens the output of a command. Devices and FIFOs, also behind a link, are written through: a
 * private file in place of `/dev/null` would break the machine for everyone. Waits for the reader
 * of a FIFO until the signal aborts.
 * @throws SvcError `local` with the path and the system's reason; EEXIST is its cause if
 * `existing` is `fail`
 */
export async function openOutputFile(path: string, request: OutputRequest): Promise<OutputFile> {
  try {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    // A file that is already open has other writers, such as the stdout of this process.
    if ((stats && !stats.isFile()) || isDescriptorPath(path))
      return await openThrough(path, request);
    if (request.existing !== 'replace') return await openRegular(path, request, request.existing);
    const mode = permissionsOf(request);
    const kept = request.mode === 'unchanged' && stats ? stats.mode & 0o777 : mode;
    return collectReplacement(stats ? await realpath(path) : path, path, kept);
  } catch (error) {
    request.signal?.throwIfAborted();
    throw localFileError('write', path, error);
  }
}

/**
 * Writes the output of a command to a file.
 * @param text the text, or its parts
 * @throws SvcError like `openOutputFile`
 */
export async function writeOutputFile(
  path: string,
  text: string | readonly string[],
  request: Omit<OutputRequest, 'existing'> = {},
): Promise<void> {
  const file = await openOutputFile(path, { ...request, existing: 'replace' });
  try {
    for (const part of [text].flat()) await file.write(part);
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.close();
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_EXCL } = constants;
/** `open` would wait for the reader of a FIFO in a thread that Ctrl-C cannot interrupt. */
const WITHOUT_WAITING = constants.O_NONBLOCK | constants.O_NOCTTY;
const FLAGS = { empty: O_TRUNC, append: O_APPEND, fail: O_EXCL } as const;
const PRIVATE = 0o600;
const MAX_PAUSE = 50;
/** Time that an interrupted command waits for a reader that takes no text, in milliseconds. */
const INTERRUPTED_WAIT = 500;

function encodeUtf8(text: string): Uint8Array {
  return Buffer.from(text);
}

function permissionsOf({ mode = PRIVATE }: OutputRequest): number {
  return mode === 'unchanged' ? PRIVATE : mode;
}

function collectReplacement(target: string, path: string, mode: number): OutputFile {
  const texts: string[] = [];
  return {
    path,
    isRegular: true,
    write: async (text: string) => void texts.push(text),
    sync: async () => undefined,
    async truncateTo(bytes: number) {
      texts.splice(0, texts.length, Buffer.from(texts.join('')).subarray(0, bytes).toString());
      return Buffer.byteLength(texts.join(''));
    },
    close: () => replaceFile(target, texts, { mode }),
    discard: async () => undefined,
  };
}

async function openRegular(
  path: string,
  request: OutputRequest,
  existing: keyof typeof FLAGS,
): Promise<OutputFile> {
  const { encode = encodeUtf8 } = request;
  const mode = permissionsOf(request);
  const handle = await open(path, O_WRONLY | O_CREAT | WITHOUT_WAITING | FLAGS[existing], mode);
  const fail = (error: unknown): never => {
    throw localFileError('write', path, error);
  };
  if (request.mode !== 'unchanged') await handle.chmod(mode).catch(fail);
  const close = () => handle.close().catch(fail);
  return {
    path,
    isRegular: true,
    write: (text) => handle.appendFile(encode(text)).catch(fail),
    sync: () => flush(handle).catch(fail),
    async truncateTo(bytes) {
      const { size } = await handle.stat().catch(fail);
      if (size > bytes) await handle.truncate(bytes).catch(fail);
      return Math.min(size, bytes);
    },
    close,
    async discard() {
      await close();
      await rm(path, { force: true });
    },
  };
}

async function openThrough(path: string, request: OutputRequest): Promise<OutputFile> {
  const { encode = encodeUtf8 } = request;
  const handle = await openWhenRead(path, request);
  const close = () =>
    handle.close().catch((error: unknown) => {
      throw localFileError('write', path, error);
    });
  return {
    path,
    isRegular: false,
    write: (text) => writeThrough(handle, path, encode(text), request),
    sync: async () => undefined,
    truncateTo: async () => 0,
    close,
    discard: close,
  };
}

/** Opens a device or a FIFO. A FIFO without a reader is ENXIO, and so are sockets. */
async function openWhenRead(
  path: string,
  { signal, clock = systemClock }: OutputRequest,
): Promise<FileHandle> {
  for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE)) {
    try {
      return await open(path, O_WRONLY | O_APPEND | WITHOUT_WAITING);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENXIO' || !(await stat(path)).isFIFO()) throw error;
    }
    await clock.sleep(pause, signal);
  }
}

async function writeThrough(
  handle: FileHandle,
  path: string,
  bytes: Uint8Array,
  { signal, clock = systemClock }: OutputRequest,
): Promise<void> {
  let [rest, pause, waited] = [bytes, 1, 0];
  while (rest.length > 0) {
    try {
      rest = rest.subarray((await handle.write(rest)).bytesWritten);
      [pause, waited] = [1, 0];
      continue;
    } catch (error) {
      if (systemErrorCode(error) !== 'EAGAIN') throw localFileError('write', path, error);
    }
    if (signal?.aborted && waited >= INTERRUPTED_WAIT) signal.throwIfAborted();
    await clock.sleep(pause);
    waited += pause;
    pause = Math.min(2 * pause, MAX_PAUSE);
  }
}

/** Whether an error of `openOutputFile` means that the file exists. */
export function isExistingFileError(error: unknown): boolean {
  return error instanceof SvcError && systemErrorCode(error.cause) === 'EEXIST';
}
