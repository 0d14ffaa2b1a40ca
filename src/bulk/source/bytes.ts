import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import { systemErrorCode } from '../../kernel/errors.ts';
import { localFileError } from '../../kernel/files.ts';
import { readFifo } from '../../kernel/whole-file.ts';
import { InputError } from './record.ts';

/** Texts of this size are cut and parsed fastest: larger ones leave the part of memory that is cheap to collect. */
const CHUNK_BYTES = 64 * 1024;
/** Bytes read from a file at once. */
const READ_BYTES = 4 * CHUNK_BYTES;

/** A file's bytes from its beginning, for what can be read only once. */
export async function fileStream(path: string, signal: AbortSignal): Promise<Readable> {
  const isFifo = (await stat(path)).isFIFO();
  return isFifo ? Readable.from(readFifo(path, signal)) : createReadStream(path, { highWaterMark: CHUNK_BYTES });
}

/** The bytes of a regular file until it ends or the run is stopped. Each chunk holds until the next one is asked for. */
export async function* readFileBytes(path: string, name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const file = await open(path).catch((error: unknown) => {
    throw localFileError('read', name, error);
  });
  try {
    const buffer = new Uint8Array(READ_BYTES);
    for (;;) {
      signal.throwIfAborted();
      const length = await read(file, buffer, name);
      if (length === 0) return;
      for (let at = 0; at < length; at += CHUNK_BYTES) yield buffer.subarray(at, Math.min(at + CHUNK_BYTES, length));
    }
  } finally {
    await file.close();
  }
}

async function read(file: FileHandle, buffer: Uint8Array, name: string): Promise<number> {
  try {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    return bytesRead;
  } catch (error) {
    throw localFileError('read', name, error);
  }
}

/** The bytes of a stream until it ends or the run is stopped. */
export async function* readBytes(
  stream: NodeJS.ReadableStream,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    const chunks: AsyncIterable<string | Uint8Array> = addAbortSignal(signal, stream as Readable);
    for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  } catch (error) {
    signal.throwIfAborted();
    throw localFileError('read', name, error);
  }
}

/** The same chunks, the first one with at least `length` bytes where there are as many. */
export async function* startingWith(bytes: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
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
 * Bytes that are compressed with gzip, which their beginning tells, unpacked piece by piece; any others as they are.
 * @throws SvcError `bad_data` when the compressed data is damaged or cut off
 */
export async function* unpacked(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const chunks = startingWith(bytes, 2);
  const { value: head, done } = await chunks.next();
  if (done) return;
  async function* whole(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* chunks;
  }
  if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzip(whole(), name);
  else yield* whole();
}

async function* gunzip(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const { createGunzip } = await import('node:zlib');
  const unpacking = createGunzip({ chunkSize: CHUNK_BYTES });
  // Failures of either end come out of the iteration below.
  pipeline(Readable.from(copies(bytes)), unpacking, () => undefined);
  try {
    for await (const chunk of unpacking) yield chunk;
  } catch (error) {
    if (systemErrorCode(error) === 'Z_BUF_ERROR') {
      throw new InputError(name, {}, 'the gzip data is cut off', 'is the file complete?');
    }
    if (systemErrorCode(error)?.startsWith('Z_')) throw new InputError(name, {}, 'the gzip data is damaged');
    throw error;
  }
}

/** Chunks that may be held on to. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}
