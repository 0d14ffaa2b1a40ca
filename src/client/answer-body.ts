import { isUtf8 } from 'node:buffer';
import { systemErrorCode } from '../kernel/errors.ts';
import { withoutMark } from '../kernel/files.ts';

const MEGABYTE = 1024 * 1024;

/** The most that is read of an answer, decompressed. */
const MOST_BYTES = 64 * MEGABYTE;

/** Deep enough for folders 250 levels down, and shallow enough for code that recurses. */
const DEEPEST_NESTING = 500;

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
  try {
    return { value: JSON.parse(answer.text) };
  } catch {
    return { flaw: answer.text.trimStart().startsWith('<') ? 'HTML instead of JSON' : 'text that is not JSON' };
  }
}

const [QUOTE, BACKSLASH, BRACKET, BRACE, BRACKET_END, BRACE_END] = Buffer.from('"\\[{]}');

/** A parser or an expression that recurses is what hostile nesting is out for. */
function nestsDeeperThan(most: number, json: string): boolean {
  return hasMoreBrackets(most, json) && reachesDepth(most + 1, json);
}

/** Whether there are more opening brackets than that, texts included: most answers need no closer look. */
function hasMoreBrackets(most: number, json: string): boolean {
  let left = most;
  for (const bracket of ['{', '[']) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

/** One pass over the characters. */
function reachesDepth(goal: number, json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) inText = !inText;
    else if (inText && character === BACKSLASH) at += 1;
    else if (inText) continue;
    else if (character === BRACKET || character === BRACE) depth += 1;
    else if (character === BRACKET_END || character === BRACE_END) depth -= 1;
    if (depth >= goal) return true;
  }
  return false;
}
