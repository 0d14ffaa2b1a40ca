import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Clock, systemClock } from './clock.ts';

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
    return await new Reading(file, most).toEnd();
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
      return await new Reading(file, most).toEnd();
    }
    // A pipe below /dev is open already, at its other end as well. A FIFO may be waiting for its writer.
    const awaitsWriter = found.isFIFO() && !/^\/(dev|proc)\//.test(path);
    return await readInTime(new Reading(file, most), awaitsWriter, limits);
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

async function readInTime(reading: Reading, awaitsWriter: boolean, limits: NamedFileLimits): Promise<Buffer> {
  const { patience = PATIENCE, signal, clock = systemClock } = limits;
  const end = clock.now() + patience;
  let mayEnd = !awaitsWriter;
  for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    signal?.throwIfAborted();
    const state = await reading.advance();
    if (state === 'end' && mayEnd) return reading.bytes();
    if (state !== 'end') mayEnd = true;
    if (clock.now() >= end) throw new Error(`its end did not arrive within ${patience / 1000} s`);
    if (state === 'read') pause = 1;
    else await clock.sleep(pause, signal);
  }
}

/** The content of an open file, read piece by piece up to a number of bytes. */
class Reading {
  readonly #file: FileHandle;
  readonly #most: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(file: FileHandle, most: number) {
    this.#file = file;
    this.#most = most;
  }

  /** Takes the next bytes. `waiting`: a pipe or a terminal has none at the moment. */
  async advance(): Promise<'read' | 'end' | 'waiting'> {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    try {
      const { bytesRead } = await this.#file.read(chunk, 0, CHUNK_BYTES, null);
      if (bytesRead === 0) return 'end';
      this.#length += bytesRead;
      this.#chunks.push(chunk.subarray(0, bytesRead));
    } catch (error) {
      if (Object(error).code === 'EAGAIN') return 'waiting';
      throw error;
    }
    if (this.#length > this.#most) throw tooLong(this.#most);
    return 'read';
  }

  async toEnd(): Promise<Buffer> {
    for (;;) {
      const state = await this.advance();
      if (state === 'end') return this.bytes();
      // A file of the kernel, such as /proc/kmsg, calls itself regular.
      if (state === 'waiting') throw new UnsuitableFile('it is not a regular file');
    }
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

function tooLong(most: number): UnsuitableFile {
  const size = most % (1024 * 1024) === 0 ? `${most / (1024 * 1024)} MB` : `${most} bytes`;
  return new UnsuitableFile(`it is longer than ${size}`);
}
