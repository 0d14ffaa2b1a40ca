import { isUtf8 } from 'node:buffer';
import { systemErrorCode } from '../kernel/errors.ts';
import { withoutByteOrderMark } from '../kernel/files.ts';
import { measureJson } from '../kernel/json-nesting.ts';
import { once } from '../kernel/once.ts';

const MEGABYTE = 1024 * 1024;
const MAX_BODY_BYTES = 64 * MEGABYTE;
/** Length of a body whose values may fill the young generation while they are parsed. */
const LONG_BODY_BYTES = MEGABYTE;
const YOUNG_GENERATION_MEGABYTES = 8;
const limitHeap = once(async () => {
  const { limitYoungGeneration } = await import('../kernel/heap.ts');
  limitYoungGeneration(YOUNG_GENERATION_MEGABYTES);
});
/** Maximum JSON nesting: enough for folders 250 levels deep, and safe for recursive code. */
const MAX_NESTING = 500;
/**
 * Maximum number of brackets, commas, and colons. Each one costs far more memory when parsed than
 * as text.
 */
const MAX_TOKENS = 4_000_000;
/**
 * The text of a response body, or a noun phrase that describes its flaw, to follow "the service
 * returned".
 */
export type BodyText = { readonly text: string } | { readonly flaw: string };
const DECODERS = new Map(
  Object.entries({ gzip: 'gunzip', 'x-gzip': 'gunzip', deflate: 'inflate' } as const),
);
export const ACCEPTED_ENCODINGS = ['gzip', 'deflate'];

/** Collects a response body chunk by chunk, and discards it once it exceeds the size limit. */
export class ResponseBody {
  readonly #encoding: string;
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** @param encoding the `Content-Encoding` of the response */
  constructor(encoding = '', maxBytes = MAX_BODY_BYTES) {
    this.#encoding = encoding.trim().toLowerCase();
    this.#maxBytes = maxBytes;
  }

  /** @returns whether the body is still within the size limit */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= this.#maxBytes) this.#chunks.push(chunk);
    else this.#chunks = [];
    return this.#bytes <= this.#maxBytes;
  }

  async read(stream: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of stream) if (!this.add(chunk)) break;
  }

  /**
   * Returns the decoded text. Rejects with zlib's error if the body does not match its encoding.
   */
  async text(): Promise<BodyText> {
    if (this.#bytes > this.#maxBytes) return createTooLargeFlaw(this.#maxBytes);
    if (this.#bytes >= LONG_BODY_BYTES) await limitHeap();
    const [chunk, ...others] = this.#chunks;
    const bytes = chunk && others.length === 0 ? chunk : Buffer.concat(this.#chunks);
    const isPlain = this.#encoding === '' || this.#encoding === 'identity' || bytes.length === 0;
    return isPlain ? decodeUtf8(bytes) : decompressBody(bytes, this.#encoding, this.#maxBytes);
  }
}

function decodeUtf8(bytes: Uint8Array): BodyText {
  if (!isUtf8(bytes)) return { flaw: 'text that is not UTF-8' };
  return {
    text: withoutByteOrderMark(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'),
    ),
  };
}

async function decompressBody(
  bytes: Uint8Array,
  encoding: string,
  maxBytes: number,
): Promise<BodyText> {
  const decoder = DECODERS.get(encoding);
  if (!decoder) return { flaw: 'a body in an unsupported encoding' };
  const { [decoder]: decompress } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    decompress(bytes, { maxOutputLength: maxBytes }, (error, plain) => {
      if (error === null) resolve(decodeUtf8(plain));
      else if (systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE')
        resolve(createTooLargeFlaw(maxBytes));
      else reject(error);
    });
  });
}

function createTooLargeFlaw(maxBytes: number): BodyText {
  return { flaw: `more than ${maxBytes / MEGABYTE} MB` };
}

/** Parses a response body as JSON. IDs such as `__proto__` are ordinary keys of the value. */
export function parseBody(body: BodyText): { readonly value: unknown } | { readonly flaw: string } {
  if ('flaw' in body) return body;
  const { text } = body;
  if (text.trim() === '') return { flaw: 'an empty body' };
  const tooDeep = { flaw: `JSON nested more than ${MAX_NESTING} levels deep` };
  // In a short text, values take little memory, and counting takes longer than parsing: 3 ms of 50 kB.
  if (text.length > LONG_BODY_BYTES) {
    const { nesting, tokens } = measureJson(text);
    if (nesting > MAX_NESTING) return tooDeep;
    if (tokens > MAX_TOKENS)
      return { flaw: `JSON with more than ${MAX_TOKENS} brackets, commas, and colons` };
  }
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(MAX_NESTING, value) ? tooDeep : { value };
  } catch {
    return {
      flaw: text.trimStart().startsWith('<') ? 'HTML instead of JSON' : 'text that is not JSON',
    };
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isDeeperThan(levels - 1, inner)) return true;
  return false;
}
