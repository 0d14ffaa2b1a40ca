import { TextDecoder } from 'node:util';
import { startingWith } from './bytes.ts';
import { InputError } from './record.ts';

/** First bytes of what is often mistaken for a text file. */
const BINARY_KINDS: readonly (readonly [readonly number[], string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], 'a ZIP archive or a spreadsheet'],
  [[0xff, 0xfe, 0x00, 0x00], 'UTF-32 text'],
  [[0x00, 0x00, 0xfe, 0xff], 'UTF-32 text'],
];
const LONGEST_SIGNATURE = 4;
/** A character of UTF-8 that began in an earlier chunk has at most this many bytes there. */
const MOST_PENDING_BYTES = 3;

/**
 * The text of an input: UTF-8 with or without a byte order mark, or UTF-16 known by its mark or by its zero bytes.
 * @throws SvcError `bad_data` with the offset of the first byte that is not text.
 */
export async function* decodeText(bytes: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let offset = 0;
  let before = new Uint8Array();
  for await (const chunk of startingWith(bytes, LONGEST_SIGNATURE)) {
    decoder ??= decoderFor(chunk, name);
    const text =
      decode(decoder, chunk) ?? refuse(name, decoder, Buffer.concat([before, chunk]), offset - before.length);
    const nul = text.indexOf('\0');
    if (nul !== -1) throw nulCharacter(name, offset + Buffer.byteLength(text.slice(0, nul)));
    if (text) yield text;
    offset += chunk.length;
    before = lastBytes(before, chunk);
  }
  if (decoder && decode(decoder) === undefined) refuse(name, decoder, before, offset - before.length);
}

/** The last bytes of two that follow each other, as many as a character may have pending. */
function lastBytes(before: Uint8Array<ArrayBuffer>, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const recent = chunk.length < MOST_PENDING_BYTES ? Buffer.concat([before, chunk]) : chunk;
  return Uint8Array.from(recent.subarray(-MOST_PENDING_BYTES));
}

/** The text of the next bytes, or of the end; `undefined` when they are none. */
function decode(decoder: TextDecoder, chunk?: Uint8Array): string | undefined {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    return undefined;
  }
}

function decoderFor(head: Uint8Array, name: string): TextDecoder {
  const binary = BINARY_KINDS.find(([signature]) => signature.every((byte, at) => head[at] === byte))?.[1];
  const kind = binary ?? (isUtf32(head) ? 'UTF-32 text' : undefined);
  if (kind)
    throw new InputError(name, {}, `it is ${kind}, not UTF-8 text`, 'unpack it or export it as UTF-8 text first');
  return new TextDecoder(encodingOf(head), { fatal: true });
}

/** Without a mark: a character of ASCII between zero bytes. */
function isUtf32([a, b, c, d]: Uint8Array): boolean {
  return b === 0 && c === 0 && ((a === 0 && d !== 0) || (d === 0 && a !== 0));
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first && second === 0) return 'utf-16le';
  if (first === 0 && second) return 'utf-16be';
  return 'utf-8';
}

function refuse(name: string, { encoding }: TextDecoder, bytes: Uint8Array, offset: number): never {
  const hint = 'is it the right file? Text has to be saved as UTF-8';
  if (encoding !== 'utf-8') throw new InputError(name, {}, `not valid ${encoding.toUpperCase()} text`, hint);
  const at = firstInvalid(bytes);
  const byte = (bytes[at] ?? 0).toString(16).padStart(2, '0');
  throw new InputError(name, {}, `byte 0x${byte} at offset ${offset + at} is not UTF-8`, hint);
}

/** Where decoding of UTF-8 fails: the first replacement character that is not one in the bytes themselves. */
function firstInvalid(bytes: Uint8Array): number {
  const start = Math.max(
    0,
    bytes.findIndex((byte) => (byte & 0xc0) !== 0x80),
  );
  const lossy = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start));
  for (let at = lossy.indexOf('\ufffd'); at !== -1; at = lossy.indexOf('\ufffd', at + 1)) {
    const offset = start + Buffer.byteLength(lossy.slice(0, at));
    const genuine = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!genuine) return offset;
  }
  return bytes.length;
}

function nulCharacter(name: string, offset: number) {
  return new InputError(name, {}, `a NUL character at offset ${offset}`, 'is this a text file, and complete?');
}
