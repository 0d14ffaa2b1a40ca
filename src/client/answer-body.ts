import { isUtf8 } from 'node:buffer';
import { systemErrorCode } from '../kernel/errors.ts';
import { withoutMark } from '../kernel/files.ts';
import { hasMoreMarksThan, nestsDeeperThan } from '../kernel/json-nesting.ts';

const MEGABYTE = 1024 * 1024;

/** The most that is read of an answer, decompressed. */
const MOST_BYTES = 64 * MEGABYTE;

/** Deep enough for folders 250 levels down, and shallow enough for code that recurses. */
const DEEPEST_NESTING = 500;

/** Brackets, commas and colons: a parsed value takes memory for each, many times of what its text does. */
const MOST_MARKS = 4_000_000;

/** The text of an answer, or what is wrong with it in words that go on after "the service answered with". */
export type AnswerText = { readonly text: string } | { readonly flaw: string };

/** How answers may be compressed, and what of Node's zlib undoes it. */
const DECODERS = new Map<string, 'gunzip' | 'inflate'>([
  ['gzip', 'gunzip'],
  ['x-gzip', 'gunzip'],
  ['deflate', 'inflate'],
]);

/** The encodings to ask for. */
export const ENCODINGS = ['gzip', 'deflate'];

/** The body of an answer, as it comes in. What is beyond the most that may be read is dropped. */
export class AnswerBody {
  readonly #encoding: string;
  readonly #mostBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** `encoding` is the `Content-Encoding` of what comes in. */
  constructor(encoding = '', mostBytes = MOST_BYTES) {
    this.#encoding = encoding.trim().toLowerCase();
    this.#mostBytes = mostBytes;
  }

  /** @returns whether more may come */
  add(chunk: Uint8Array): boolean {
    this.#bytes += chunk.byteLength;
    if (this.#bytes <= this.#mostBytes) this.#chunks.push(chunk);
    else this.#chunks = [];
    return this.#bytes <= this.#mostBytes;
  }

  /** Adds what a stream holds, and leaves it at once when that is too much. */
  async read(stream: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of stream) if (!this.add(chunk)) break;
  }

  /** All of it as text. Rejects with zlib's error when it is not compressed as it says. */
  text(): AnswerText | Promise<AnswerText> {
    if (this.#bytes > this.#mostBytes) return tooLarge(this.#mostBytes);
    const [chunk, ...others] = this.#chunks;
    const bytes = chunk && others.length === 0 ? chunk : Buffer.concat(this.#chunks);
    const isPlain = this.#encoding === '' || this.#encoding === 'identity' || bytes.length === 0;
    return isPlain ? decoded(bytes) : decompressed(bytes, this.#encoding, this.#mostBytes);
  }
}

function decoded(bytes: Uint8Array): AnswerText {
  if (!isUtf8(bytes)) return { flaw: 'text that is not UTF-8' };
  return { text: withoutMark(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) };
}

async function decompressed(bytes: Uint8Array, encoding: string, mostBytes: number): Promise<AnswerText> {
  const decoder = DECODERS.get(encoding);
  if (!decoder) return { flaw: 'a compressed body that was not asked for' };
  const { [decoder]: decompress } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    decompress(bytes, { maxOutputLength: mostBytes }, (error, plain) => {
      if (error === null) resolve(decoded(plain));
      else if (systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE') resolve(tooLarge(mostBytes));
      else reject(error);
    });
  });
}

function tooLarge(mostBytes: number): AnswerText {
  return { flaw: `more than ${mostBytes / MEGABYTE} MB` };
}

/** The JSON value of an answer, as parsed: ids like `__proto__` are ordinary keys of it. */
export function parseAnswer(answer: AnswerText): { readonly value: unknown } | { readonly flaw: string } {
  if ('flaw' in answer) return answer;
  if (answer.text.trim() === '') return { flaw: 'an empty body' };
  if (nestsDeeperThan(DEEPEST_NESTING, answer.text)) return { flaw: `JSON nested over ${DEEPEST_NESTING} levels deep` };
  if (hasMoreMarksThan(MOST_MARKS, answer.text))
    return { flaw: `JSON of over ${MOST_MARKS} brackets, commas and colons` };
  try {
    return { value: JSON.parse(answer.text) };
  } catch {
    return { flaw: answer.text.trimStart().startsWith('<') ? 'HTML instead of JSON' : 'text that is not JSON' };
  }
}
