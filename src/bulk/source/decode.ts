import { TextDecoder } from 'node:util';
import { withFirstChunkOf } from './bytes.ts';
import { InputError } from './source.ts';
import { spreadsheetError } from './spreadsheet.ts';

/**
 * Signatures of formats that are often mistaken for text files: a ZIP archive and a spreadsheet.
 */
const [ZIP, OLD_SPREADSHEET] = [Buffer.from('PK\x03\x04'), Buffer.from([0xd0, 0xcf, 0x11, 0xe0])];
const MAX_SIGNATURE_BYTES = 4;
const WORKBOOK_FILES = /\[Content_Types\]\.xml|xl\/|opendocument\.spreadsheet/;
/** Maximum bytes of an incomplete UTF-8 character at the end of a chunk. */
const MAX_PENDING_BYTES = 3;

/**
 * Decodes the text of an input: UTF-8 with or without a byte order mark, or UTF-16, recognized by
 * its mark or zero bytes.
 * @throws SvcError `invalid_input` with the offset of the first invalid byte
 */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let offset = 0;
  let before = new Uint8Array();
  for await (const chunk of withFirstChunkOf(bytes, MAX_SIGNATURE_BYTES)) {
    decoder ??= decoderFor(chunk, name);
    const text =
      decode(decoder, chunk) ??
      throwInvalidText(name, decoder, Buffer.concat([before, chunk]), offset - before.length);
    const nul = text.indexOf('\0');
    if (nul !== -1) {
      const problem = `a NUL character at offset ${offset + Buffer.byteLength(text.slice(0, nul))}`;
      throw new InputError(name, {}, problem, 'check that it is a complete text file');
    }
    if (text) yield text;
    offset += chunk.length;
    before = lastBytes(before, chunk);
  }
  if (decoder && decode(decoder) === undefined)
    throwInvalidText(name, decoder, before, offset - before.length);
}

/**
 * Returns the last bytes of two consecutive chunks, as many as an incomplete character may have.
 */
function lastBytes(before: Uint8Array<ArrayBuffer>, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const recent = chunk.length < MAX_PENDING_BYTES ? Buffer.concat([before, chunk]) : chunk;
  return Uint8Array.from(recent.subarray(-MAX_PENDING_BYTES));
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string | undefined {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    return undefined;
  }
}

function decoderFor(head: Uint8Array, name: string): TextDecoder {
  const start = head.subarray(0, MAX_SIGNATURE_BYTES);
  const isZip = ZIP.equals(start);
  const isWorkbook = isZip && WORKBOOK_FILES.test(Buffer.from(head).toString('latin1'));
  if (OLD_SPREADSHEET.equals(start) || isWorkbook) throw spreadsheetError(name);
  if (isZip)
    throw new InputError(
      name,
      {},
      'expected UTF-8 text, found a ZIP archive',
      'unpack the file first',
    );
  return new TextDecoder(encodingOf(head), { fatal: true });
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first && second === 0) return 'utf-16le';
  if (first === 0 && second) return 'utf-16be';
  return 'utf-8';
}

function throwInvalidText(
  name: string,
  { encoding }: TextDecoder,
  bytes: Uint8Array,
  offset: number,
): never {
  const hint = 'check that it is the right file, and save it as UTF-8';
  if (encoding !== 'utf-8')
    throw new InputError(name, {}, `not valid ${encoding.toUpperCase()} text`, hint);
  const at = firstInvalid(bytes);
  const byte = (bytes[at] ?? 0).toString(16).padStart(2, '0');
  throw new InputError(name, {}, `byte 0x${byte} at offset ${offset + at} is not UTF-8`, hint);
}

function firstInvalid(bytes: Uint8Array): number {
  const start = Math.max(
    0,
    bytes.findIndex((byte) => (byte & 0xc0) !== 0x80),
  );
  const lossy = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start));
  for (let at = lossy.indexOf('\ufffd'); at !== -1; at = lossy.indexOf('\ufffd', at + 1)) {
    const offset = start + Buffer.byteLength(lossy.slice(0, at));
    const isGenuine =
      bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isGenuine) return offset;
  }
  return bytes.length;
}
