import { createReadStream, statSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { systemErrorCode } from '../../kernel/errors.ts';
import { createLocalFileError, throwFileError } from '../../kernel/files.ts';
import { readFifo, readRegularFile } from '../../kernel/read-file.ts';
import { InputError } from './source.ts';

/**
 * The fastest size for splitting and parsing: larger texts leave the young generation of the heap. A
 * text with characters beyond Latin-1 takes two bytes for each.
 */
const CHUNK_BYTES = 32 * 1024;
const READ_BYTES = 8 * CHUNK_BYTES;
/**
 * Upper bound on the ratio of decompressed to compressed size, and the decompressed size from which it
 * applies. Real files have ratios of 5 to 30, or 120 with equal cells, because each record has its own ID.
 */
export const [MIN_FLOOD_BYTES, MAX_COMPRESSION] = [8 * 1024 * 1024, 150];

export async function openFileStream(path: string, signal: AbortSignal): Promise<Readable> {
  const isFifo = (await stat(path)).isFIFO();
  return isFifo
    ? Readable.from(readFifo(path, signal))
    : createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

/**
 * Reads a file of any type. Streams take time to load, so regular files are read without them, and
 * small ones also without node:fs/promises, which takes 3 ms of svc plan.
 */
export async function* readNamedBytes(
  path: string,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const stats = statSync(path);
  if (stats.isFile() && stats.size > 0 && stats.size <= CHUNK_BYTES)
    yield await readRegularFile(path).catch(throwFileError('read', name));
  else if (stats.isFile()) yield* readFileBytes(path, name, signal);
  else yield* readStreamBytes(await openFileStream(path, signal), name, signal);
}

/**
 * Reads a regular file until its end or an abort. Each chunk is valid until the next one is
 * requested.
 */
export async function* readFileBytes(
  path: string,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const fail = (error: unknown): never => {
    throw createLocalFileError('read', name, error);
  };
  const file = await open(path).catch(fail);
  try {
    const buffer = new Uint8Array(READ_BYTES);
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead: length } = await file.read(buffer, 0, buffer.length, null).catch(fail);
      if (length === 0) return;
      for (let at = 0; at < length; at += CHUNK_BYTES)
        yield buffer.subarray(at, Math.min(at + CHUNK_BYTES, length));
    }
  } finally {
    await file.close();
  }
}

export async function* readStreamBytes(
  stream: NodeJS.ReadableStream,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    const chunks: AsyncIterable<string | Uint8Array> = addAbortSignal(signal, stream as Readable);
    for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  } catch (error) {
    signal.throwIfAborted();
    throw createLocalFileError('read', name, error);
  }
}

/**
 * Regroups the chunks so that the first one has at least `length` bytes, if the input has that
 * many.
 */
export async function* withFirstChunkOf(
  bytes: AsyncIterable<Uint8Array>,
  length: number,
): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of bytes) {
    if (!head) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < length) continue;
    yield head;
    head = undefined;
  }
  if (head) yield head;
}

/**
 * Decompresses gzip data, which is detected by its first bytes. Passes other data through.
 * @throws SvcError `invalid_input` if the compressed data is damaged, truncated, or a flood
 */
export async function* decompress(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const chunks = withFirstChunkOf(bytes, 2);
  const { value: head, done } = await chunks.next();
  if (done) return;
  const all = prepend([head], chunks);
  yield* head[0] === 0x1f && head[1] === 0x8b ? gunzip(all, name) : all;
}

export async function* prepend<Item>(
  read: readonly Item[],
  rest: AsyncGenerator<Item>,
): AsyncGenerator<Item> {
  try {
    yield* read;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* gunzip(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const gunzipStream = createGunzip({ chunkSize: CHUNK_BYTES });
  const input = new ReadChunks(bytes);
  // The loop below throws the errors of both streams.
  pipeline(Readable.from(input.read()), gunzipStream, () => undefined);
  let size = 0;
  try {
    for await (const chunk of gunzipStream) {
      input.forgetUntil(gunzipStream.bytesWritten);
      size += chunk.length;
      if (size > Math.max(MIN_FLOOD_BYTES, MAX_COMPRESSION * gunzipStream.bytesWritten))
        throw new InputError(
          name,
          {},
          `the gzip data expands to more than ${MAX_COMPRESSION} times its size`,
          'check that it is the right file, or decompress it first',
        );
      yield chunk;
    }
    await input.requireZeros(gunzipStream.bytesWritten);
  } catch (error) {
    if (systemErrorCode(error) === 'Z_BUF_ERROR')
      throw new InputError(
        name,
        {},
        'the gzip data is truncated',
        'check that the file is complete',
      );
    if (error instanceof TrailingDataError || systemErrorCode(error)?.startsWith('Z_'))
      throw new InputError(name, {}, 'the gzip data is damaged');
    throw error;
  } finally {
    await input.close();
  }
}

/** Other data after compressed data. */
class TrailingDataError extends Error {}

/** Copies of the chunks of an input, from which a decompressor may leave out bytes at the end. */
class ReadChunks {
  readonly #chunks: AsyncIterator<Uint8Array>;
  /** The chunks that were read, from the offset `#start`. */
  #read: Uint8Array[] = [];
  #start = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** Leaves the input open at the end, unlike a loop over it. */
  async *read(): AsyncGenerator<Uint8Array> {
    for (let next = await this.#chunks.next(); !next.done; next = await this.#chunks.next()) {
      const copy = Uint8Array.from(next.value);
      this.#read.push(copy);
      yield copy;
    }
  }

  /** Releases the chunks before an offset. */
  forgetUntil(offset: number): void {
    for (
      let [first] = this.#read;
      first && this.#start + first.length <= offset;
      [first] = this.#read
    ) {
      this.#start += first.length;
      this.#read.shift();
    }
  }

  /**
   * Reads the rest of the input from an offset. Tapes and devices pad compressed data with zeros.
   * @throws TrailingDataError if the rest contains other data
   */
  async requireZeros(offset: number): Promise<void> {
    this.forgetUntil(offset);
    const [first, ...others] = this.#read;
    const unread = first ? [first.subarray(offset - this.#start), ...others] : [];
    for (const chunk of unread) requireZeros(chunk);
    for (let next = await this.#chunks.next(); !next.done; next = await this.#chunks.next())
      requireZeros(next.value);
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}

function requireZeros(bytes: Uint8Array): void {
  if (!Buffer.alloc(bytes.length).equals(bytes)) throw new TrailingDataError();
}
