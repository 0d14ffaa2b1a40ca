import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Clock, systemClock } from './clock.ts';
import { systemErrorCode } from './errors.ts';
import { closeAfter } from './resource.ts';

/** Maximum size in bytes of a settings or state file. */
const MAX_SETTINGS_BYTES = 4 * 1024 * 1024;
/** Maximum size in bytes of a file that the user named. */
const MAX_NAMED_BYTES = 64 * 1024 * 1024;
/** Time limit for a pipe or a terminal to deliver all its content, in milliseconds. */
const DEFAULT_TIMEOUT = 60_000;
const MAX_PAUSE = 100;
const CHUNK_BYTES = 64 * 1024;

/**
 * A file that the system can read but svc rejects. The message completes "cannot read <path>: ".
 */
export class UnsuitableFileError extends Error {}
/** A file with more content than svc reads at once. */
export class TooLongError extends UnsuitableFileError {}

/**
 * Reads a settings or state file, such as `.svc.json`. Rejects irregular and large files:
 * otherwise, another user with write access to a folder could block every command below it with a
 * FIFO, a device, or an endless file.
 * @throws UnsuitableFileError, or the system's error
 */
export async function readRegularFile(
  path: string,
  maxBytes = MAX_SETTINGS_BYTES,
): Promise<Buffer> {
  // Every command reads such files, and synchronous calls spare it the load of node:fs/promises.
  const descriptor = openSync(path, WITHOUT_WAITING);
  try {
    checkRegular(fstatSync(descriptor), maxBytes);
    return await readToEnd((chunk) => readSync(descriptor, chunk), maxBytes);
  } finally {
    closeSync(descriptor);
  }
}

const HEAD_BYTES = 64 * 1024;

/** Reads the start of a regular file as UTF-8. @throws the system's error */
export function readHead(path: string): string {
  const descriptor = openSync(path, WITHOUT_WAITING);
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes));
  } finally {
    closeSync(descriptor);
  }
}

export interface ReadLimits {
  readonly maxBytes?: number;
  readonly timeout?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/**
 * Reads a file that the user named on the command line. It may be a pipe or a terminal:
 * `--auth-token-file <(pass show svc)` and `/dev/stdin` work as in other tools, so that secrets
 * need not be written to disk.
 * @throws UnsuitableFileError, the system's error, or the reason of the signal
 */
export async function readFileOrPipe(path: string, limits: ReadLimits = {}): Promise<Buffer> {
  const { maxBytes = MAX_NAMED_BYTES } = limits;
  return closeAfter(await open(path, WITHOUT_WAITING), async (file) => {
    const stats = await file.stat();
    if (stats.isFIFO() || stats.isCharacterDevice())
      return readWithTimeout(file, stats.isFIFO() && mayAwaitWriter(path), limits);
    checkRegular(stats, maxBytes);
    return readToEnd(readerOf(file), maxBytes);
  });
}

/**
 * Flags to open a file without waiting for the writer of a FIFO. Windows has neither these flags
 * nor FIFOs in folders.
 */
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

function checkRegular(stats: Stats, maxBytes: number): void {
  if (stats.isDirectory()) throw new UnsuitableFileError('is a folder');
  if (!stats.isFile()) throw new UnsuitableFileError('is not a regular file');
  if (stats.size > maxBytes) throw createTooLongError(maxBytes);
}

async function readWithTimeout(
  file: FileHandle,
  awaitsWriter: boolean,
  limits: ReadLimits,
): Promise<Buffer> {
  const {
    maxBytes = MAX_NAMED_BYTES,
    timeout = DEFAULT_TIMEOUT,
    signal,
    clock = systemClock,
  } = limits;
  const end = clock.now() + timeout;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of readArriving(file, awaitsWriter, clock, signal)) {
    if (clock.now() >= end) throw new Error(`did not end within ${timeout / 1000} s`);
    length += chunk.length;
    if (length > maxBytes) throw createTooLongError(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a stream to its end. @throws UnsuitableFileError if it is too long, or the error of the stream */
export async function readStream(
  stream: AsyncIterable<string | Uint8Array>,
  maxBytes = MAX_NAMED_BYTES,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) throw createTooLongError(maxBytes);
    chunks.push(Buffer.from(chunk));
  }
  return Buffer.concat(chunks);
}

/**
 * Yields the bytes of a FIFO as they arrive. A regular `open` would wait in a thread that Ctrl-C
 * cannot interrupt.
 */
export async function* readFifo(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const file = await open(path, WITHOUT_WAITING);
  try {
    for await (const chunk of readArriving(file, mayAwaitWriter(path), systemClock, signal)) {
      if (chunk.length > 0) yield chunk;
    }
  } finally {
    await file.close();
  }
}

/**
 * Whether a FIFO may not have a writer yet. The pipes that /dev and /proc show are already open at
 * both ends.
 */
function mayAwaitWriter(path: string): boolean {
  return !isDescriptorPath(path);
}

/** Whether a path in /dev or /proc names a file that a process has open. */
export function isDescriptorPath(path: string): boolean {
  return /^\/(dev\/(fd\/|std(in|out|err)$)|proc\/)/.test(path);
}

async function* readArriving(
  file: FileHandle,
  awaitsWriter: boolean,
  clock: Clock,
  signal: AbortSignal | undefined,
) {
  const read = readerOf(file);
  let mayEnd = !awaitsWriter;
  for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE)) {
    signal?.throwIfAborted();
    const chunk = await readChunk(read);
    if (chunk?.length === 0 && mayEnd) return;
    if (chunk === undefined || chunk.length > 0) mayEnd = true;
    yield chunk ?? EMPTY;
    if (chunk !== undefined && chunk.length > 0) pause = 1;
    else await clock.sleep(pause, signal);
  }
}

const EMPTY = Buffer.alloc(0);
/** Reads the next bytes into a chunk, and returns their number. */
type Reader = (chunk: Buffer) => number | Promise<number>;

function readerOf(file: FileHandle): Reader {
  return async (chunk) => (await file.read(chunk, 0, chunk.length, null)).bytesRead;
}

async function readToEnd(read: Reader, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    const chunk = await readChunk(read);
    // Kernel files such as /proc/kmsg claim to be regular files.
    if (chunk === undefined) throw new UnsuitableFileError('is not a regular file');
    if (chunk.length === 0) return Buffer.concat(chunks);
    length += chunk.length;
    if (length > maxBytes) throw createTooLongError(maxBytes);
    chunks.push(chunk);
  }
}

async function readChunk(read: Reader): Promise<Buffer | undefined> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    return chunk.subarray(0, await read(chunk));
  } catch (error) {
    if (systemErrorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

function createTooLongError(maxBytes: number): TooLongError {
  const size =
    maxBytes % (1024 * 1024) === 0 ? `${maxBytes / (1024 * 1024)} MB` : `${maxBytes} bytes`;
  return new TooLongError(`is larger than ${size}`);
}
