import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Clock, systemClock } from './clock.ts';
import { systemErrorCode } from './errors.ts';

/** Upper bound in bytes on a file of settings or state, which svc finds by itself and reads whole. */
const MOST_SETTINGS = 4 * 1024 * 1024;

/** Upper bound in bytes on a file that the user named. */
const MOST_NAMED = 64 * 1024 * 1024;

/** Milliseconds that a pipe or a terminal has to deliver all of its content. */
const PATIENCE = 60_000;

const LONGEST_PAUSE = 100;
const CHUNK_BYTES = 64 * 1024;

/** A file that the system would read, and svc does not. The message completes "cannot read <path>: ". */
export class UnsuitableFile extends Error {}

/**
 * The bytes of a file that svc found by itself, such as `.svc.json` or a file of profiles. Only regular files are read,
 * and only up to a size: whoever can write to a folder could otherwise leave a FIFO, a device or an endless file there
 * that holds up each command run below it.
 * @throws UnsuitableFile, or the system's error
 */
export async function readRegularFile(path: string, most = MOST_SETTINGS): Promise<Buffer> {
  const file = await openAtOnce(path);
  try {
    await checkRegular(file, most);
    return await readToEnd(file, most);
  } finally {
    await file.close();
  }
}

export interface NamedFileLimits {
  /** Bytes. */
  readonly most?: number;
  /** Milliseconds for a pipe or a terminal. */
  readonly patience?: number;
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/**
 * The bytes of a file that the user named on the command line. Unlike a file that svc finds by itself, this may be a
 * pipe or a terminal: `--auth-token-file <(pass show svc)` and `/dev/stdin` work as with other tools, for secrets above
 * all, which then never touch a disk. Both are bounded: all content has to arrive in time, and fit.
 * @throws UnsuitableFile, the system's error, or the reason of the signal
 */
export async function readFileOrPipe(path: string, limits: NamedFileLimits = {}): Promise<Buffer> {
  const { most = MOST_NAMED } = limits;
  const file = await openAtOnce(path);
  try {
    const found = await file.stat();
    if (!found.isFIFO() && !found.isCharacterDevice()) {
      await checkRegular(file, most);
      return await readToEnd(file, most);
    }
    return await readInTime(file, found.isFIFO() && mayAwaitWriter(path), limits);
  } finally {
    await file.close();
  }
}

/** Opens without waiting for the writer of a FIFO. Windows knows neither flag, nor FIFOs in folders. */
function openAtOnce(path: string): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
}

async function checkRegular(file: FileHandle, most: number): Promise<void> {
  const found = await file.stat();
  if (found.isDirectory()) throw new UnsuitableFile('it is a folder');
  if (!found.isFile()) throw new UnsuitableFile('it is not a regular file');
  if (found.size > most) throw tooLong(most);
}

async function readInTime(file: FileHandle, awaitsWriter: boolean, limits: NamedFileLimits): Promise<Buffer> {
  const { most = MOST_NAMED, patience = PATIENCE, signal, clock = systemClock } = limits;
  const end = clock.now() + patience;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of arriving(file, { awaitsWriter, signal, clock })) {
    if (clock.now() >= end) throw new Error(`its end did not arrive within ${patience / 1000} s`);
    length += chunk.length;
    if (length > most) throw tooLong(most);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The bytes of a FIFO that the user named, as they arrive. Opening one in the usual way waits for its writer in a thread
 * that nothing interrupts, so that not even Ctrl-C would end the process.
 * @throws the system's error, or the reason of the signal
 */
export async function* readFifo(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const file = await openAtOnce(path);
  try {
    for await (const chunk of arriving(file, { awaitsWriter: mayAwaitWriter(path), signal, clock: systemClock })) {
      if (chunk.length > 0) yield chunk;
    }
  } finally {
    await file.close();
  }
}

/** A pipe below /dev is open already, at its other end as well. A FIFO may be waiting for its writer. */
function mayAwaitWriter(path: string): boolean {
  return !/^\/(dev|proc)\//.test(path);
}

interface Arrival {
  readonly awaitsWriter: boolean;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
}

/** What a pipe or a terminal delivers up to its end; an empty chunk each time that nothing has arrived. */
async function* arriving(file: FileHandle, { awaitsWriter, signal, clock }: Arrival): AsyncGenerator<Buffer> {
  let mayEnd = !awaitsWriter;
  for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    signal?.throwIfAborted();
    const chunk = await nextChunk(file);
    if (chunk?.length === 0 && mayEnd) return;
    if (chunk === undefined || chunk.length > 0) mayEnd = true;
    yield chunk ?? NOTHING;
    if (chunk !== undefined && chunk.length > 0) pause = 1;
    else await clock.sleep(pause, signal);
  }
}

const NOTHING = Buffer.alloc(0);

async function readToEnd(file: FileHandle, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let length = 0; ; ) {
    const chunk = await nextChunk(file);
    // A file of the kernel, such as /proc/kmsg, calls itself regular.
    if (chunk === undefined) throw new UnsuitableFile('it is not a regular file');
    if (chunk.length === 0) return Buffer.concat(chunks);
    length += chunk.length;
    if (length > most) throw tooLong(most);
    chunks.push(chunk);
  }
}

/** The next bytes: none at the end, `undefined` when there are none at the moment. */
async function nextChunk(file: FileHandle): Promise<Buffer | undefined> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  try {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null);
    return chunk.subarray(0, bytesRead);
  } catch (error) {
    if (systemErrorCode(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

function tooLong(most: number): UnsuitableFile {
  const size = most % (1024 * 1024) === 0 ? `${most / (1024 * 1024)} MB` : `${most} bytes`;
  return new UnsuitableFile(`it is longer than ${size}`);
}
