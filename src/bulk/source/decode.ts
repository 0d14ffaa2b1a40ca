import { TextDecoder } from 'node:util';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { InputError } from './source.ts';
import {
  createSpreadsheetError,
  EXPORT_HINT,
  hasOldSpreadsheetSignature,
  hasSpreadsheetName,
  hasZipSignature,
  UNPACK_HINT,
} from './spreadsheet.ts';
import { type TextEncoding, UTF_8 } from './text-encoding.ts';
import { TextPosition } from './text-position.ts';

/** Number of bytes at the start of an input that `rejectBinary` and `detectEncoding` need. */
export const MAX_SIGNATURE_BYTES = 6;
const WORKBOOK_FILES = /\[Content_Types\]\.xml|xl\//;
const OPEN_DOCUMENT = /opendocument\.spreadsheet/;
/** Maximum bytes of an incomplete character of UTF-8 or UTF-16 at the end of a chunk. */
const MAX_PENDING_BYTES = 3;

export interface DecodeRequest {
  readonly name: string;
  readonly encoding: TextEncoding;
  /** Whether the user can set the encoding with `--encoding`. */
  readonly hasEncodingFlag?: boolean | undefined;
}

/**
 * Compressed files by their first bytes, with the program that decompresses them. svc reads gzip itself,
 * except for a compressed .xlsx file.
 */
const COMPRESSED: readonly (readonly [
  signature: RegExp | string,
  format: string,
  program?: string,
])[] = [
  ['\x1f\x8b', 'gzip'],
  [/^BZh[1-9]1A/, 'bzip2'],
  [/^\xfd7zXZ\0/, 'xz'],
  [/^\x28\xb5\x2f\xfd/, 'zstd'],
  ['\x1f\x9d', 'compress', 'gzip'],
  ['\x04\x22\x4d\x18', 'lz4'],
  ['LZIP\x01', 'lzip'],
  [/^\x5d\0\0[\0-\x80]/, 'lzma', 'xz'],
];
const COMPRESSED_NAME = /\.(?:t?gz|bz2|xz|zst|Z|lz4|lz|lzma)$/;

/** Other files that hold no text, or no records, by their first bytes in Latin-1. */
const OTHER_FILES: readonly (readonly [signature: RegExp | string, found: string, hint: string])[] =
  [
    ["7z\xbc\xaf'\x1c", 'a 7z archive', UNPACK_HINT],
    ['Rar!\x1a\x07', 'a RAR archive', UNPACK_HINT],
    [/^[^\0].{256}ustar/s, 'a tar archive', UNPACK_HINT],
    [/^PAR1[^\t\n\r -~]/, 'a Parquet file', EXPORT_HINT],
    ['Obj\x01', 'an Avro file', EXPORT_HINT],
    [/^ARROW1\0/, 'an Arrow file', EXPORT_HINT],
    [/^SQLite format 3\0/, 'an SQLite database', EXPORT_HINT],
    [/^%PDF-/, 'a PDF document', EXPORT_HINT],
    [/^(?:\xff\xfe\0\0|\0\0\xfe\xff|[^\0]\0\0\0|\0\0\0[^\0])/, 'UTF-32', 'save the file as UTF-8'],
    [
      /^(?:\xef\xbb\xbf)?\s*<(?:!doctype html|html|head|meta|style|table|!--)/i,
      'an HTML page',
      EXPORT_HINT,
    ],
    [/^(?:\xef\xbb\xbf)?\s*<\?xml\b/, 'XML', EXPORT_HINT],
  ];

/** @throws SvcError `invalid_input` if the bytes at the start of an input are not those of a text */
export function rejectBinary(head: Uint8Array, name: string): void {
  rejectCompressed(head, name);
  if (hasOldSpreadsheetSignature(head)) throw createSpreadsheetError(name);
  const text = Buffer.from(head).toString('latin1');
  const other = OTHER_FILES.find(([signature]) => text.search(signature) === 0);
  if (!other && !hasZipSignature(head)) return;
  // Some programs write sheets as HTML or XML under the name of an .xls file.
  if (OPEN_DOCUMENT.test(text) || hasSpreadsheetName(name)) throw createSpreadsheetError(name);
  const [found, hint] = other ? [other[1], other[2]] : describeArchive(text);
  throw new InputError(name, {}, `expected UTF-8 text, found ${found}`, hint);
}

function describeArchive(text: string): readonly [found: string, hint: string] {
  if (/(?:word|ppt)\//.test(text)) return ['a Word or PowerPoint document', EXPORT_HINT];
  return WORKBOOK_FILES.test(text)
    ? ['a spreadsheet', 'add --input-format xlsx']
    : ['a ZIP archive', UNPACK_HINT];
}

/** @throws SvcError `invalid_input` if bytes start like those of a compressed file */
export function rejectCompressed(head: Uint8Array, name: string): void {
  const start = Buffer.from(head.subarray(0, MAX_SIGNATURE_BYTES)).toString('latin1');
  const found = COMPRESSED.find(([signature]) => start.search(signature) === 0);
  if (!found) return;
  const [, format, program = format] = found;
  const file = quoteForShell(name);
  const command =
    name === 'stdin'
      ? `pipe it through ${program} -dc`
      : // The programs decompress in place only a file with their extension.
        COMPRESSED_NAME.test(name)
        ? `run ${program} -dk ${file}`
        : `run ${program} -dc < ${file} > decompressed`;
  const hint = `decompress it first: ${command}`;
  throw new InputError(name, {}, `the input is compressed with ${format}`, hint);
}

/**
 * Detects the encoding of a text from its start: a byte order mark takes precedence over the given
 * encoding. Otherwise the text is UTF-8, or UTF-16 if one of the first two bytes is zero.
 */
export function detectEncoding(head: Uint8Array, given?: string): TextEncoding {
  const [first, second, third] = head;
  if (first === 0xff && second === 0xfe) return { name: 'utf-16le', hasMark: true };
  if (first === 0xfe && second === 0xff) return { name: 'utf-16be', hasMark: true };
  if (first === 0xef && second === 0xbb && third === 0xbf) return { name: 'utf-8', hasMark: true };
  if (given !== undefined) return { name: given, hasMark: false };
  if (first && second === 0) return { name: 'utf-16le', hasMark: false };
  if (first === 0 && second) return { name: 'utf-16be', hasMark: false };
  return UTF_8;
}

/** The last character of a text that the `copy` command of Windows joined, which is not part of it. */
const END_OF_FILE = '\x1a';

/** Decodes the text of an input. @throws SvcError `invalid_input` at the first invalid byte */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array>,
  request: DecodeRequest,
): AsyncGenerator<string> {
  const { name, encoding } = request;
  const isUnicode = encoding.name.startsWith('utf-');
  // A replacement character is text in Unicode, and stands for an invalid byte elsewhere.
  const decoder = new TextDecoder(encoding.name, { fatal: isUnicode });
  const position = new TextPosition();
  let before = new Uint8Array();
  let offset = 0;
  let units = 0;
  let end = '';
  const fail = (chunk: Uint8Array): never => {
    throw createInvalidUnicodeError(request, position, { before, chunk, offset, units });
  };
  for await (const chunk of bytes) {
    const text = decode(decoder, chunk) ?? fail(chunk);
    if (!isUnicode) requireNoReplacement(text, position, request);
    const nul = text.indexOf('\0');
    if (nul !== -1)
      throw new InputError(
        name,
        position.after(text.slice(0, nul)),
        'a NUL character',
        'check that it is a complete text file',
      );
    position.advance(text);
    const read = end + text;
    end = read.endsWith(END_OF_FILE) ? END_OF_FILE : '';
    if (read !== end) yield end ? read.slice(0, -1) : read;
    offset += chunk.length;
    units += text.length;
    before = lastBytes(before, chunk);
  }
  const rest = decode(decoder) ?? fail(new Uint8Array());
  requireNoReplacement(rest, position, request);
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

function requireNoReplacement(
  text: string,
  position: TextPosition,
  { name, encoding }: DecodeRequest,
): void {
  const at = text.indexOf('\ufffd');
  if (at === -1) return;
  throw new InputError(
    name,
    position.after(text.slice(0, at)),
    `not valid ${encoding.name} text`,
    'check that it is the right file and the right --encoding',
  );
}

interface FailedChunk {
  readonly chunk: Uint8Array;
  /** The bytes before the chunk, of which the last ones may be an incomplete character. */
  readonly before: Uint8Array;
  /** The number of bytes before the chunk, and of the UTF-16 code units decoded from them. */
  readonly offset: number;
  readonly units: number;
}

function createInvalidUnicodeError(
  { name, encoding, hasEncodingFlag }: DecodeRequest,
  position: TextPosition,
  failed: FailedChunk,
): InputError {
  const { text, byte, byteOffset } = findInvalidCharacter(encoding.name, failed);
  const at = position.after(text);
  const hint = 'check that it is the right file, and save it as UTF-8';
  if (encoding.name !== 'utf-8')
    return new InputError(name, at, `not valid ${encoding.name.toUpperCase()} text`, hint);
  const problem = `byte 0x${byte.toString(16).padStart(2, '0')} is not UTF-8`;
  const character = new TextDecoder('windows-1252').decode(Uint8Array.of(byte));
  // In Windows-1252, these bytes are Â and Ã, with which texts hardly ever end.
  if (failed.chunk.length === 0 && (byte === 0xc2 || byte === 0xc3))
    return new InputError(
      name,
      at,
      'the text ends inside a character',
      'check that the file is complete',
    );
  const isText = !failed.chunk.some(isControlByte) && character > '\u009f';
  if (!isText) return new InputError(name, at, problem, hint);
  const guess = `${problem} (Windows-1252: "${character}")`;
  const isAsciiBefore = byteOffset === failed.units + text.length;
  if (!isAsciiBefore)
    return new InputError(name, at, guess, 'the text before it is UTF-8; correct the character');
  const western = new TextDecoder('windows-1252').decode(failed.chunk);
  if (NOT_WESTERN.test(western))
    return new InputError(name, at, problem, hasEncodingFlag ? OTHER_ENCODING : hint);
  return hasEncodingFlag
    ? new InputError(name, at, `${guess}; add --encoding windows-1252`)
    : new InputError(name, at, guess, hint);
}

const OTHER_ENCODING =
  'save the file as UTF-8, or name its encoding, for example with --encoding windows-1251 or --encoding shift_jis';

/**
 * Matches text in another encoding that was decoded as Windows-1252: bytes without a character,
 * signs that names rarely contain, capitals and quotes inside of words, many accents in a row, signs
 * between or behind accents, and dashes and quotes before accents and brackets.
 */
const NOT_WESTERN =
  /[\u0080-\u009f\u2020\u2021\u02c6\u2030\u02dc\u0178\u00a4\u00a6\u00ac\u00af\u00b6\u00b8\u0192]|\u00ed[\u00a0-\u00bf][^\0-\x7f]|[a-z][\u00c0-\u00de\u0160\u0152\u017d]|[a-z][\u201a\u201e\u201c\u201d\u00a7\u00b0-\u00b3\u00b5\u00b6\u00b9\u00bf\u00a1][a-z]|[a-z]{3}[\u00b2\u00b3\u00b9]|[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]{3}|[\u00c0-\u00ff]{2}[\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u00bf]|[\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u00bf][\u00c0-\u00ff][\u00a1-\u00aa\u00ac-\u00ba\u00bc-\u00bf]|[\u2013\u2014][\u00c0-\u00ff][^\0-\x7f]|\w\u2022|\w\u201a(?!\w)|\u00d7[\u00c0-\u00ff]|[\u2013\u2014\u2018\u201c\u2022][@[-`{-~]|\w(?<!\u201a\w*)\u2018/;

/** Whether a byte occurs in binary data, but hardly ever in text. */
function isControlByte(byte: number): boolean {
  return byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d);
}

interface InvalidCharacter {
  /** The text before it that was not decoded earlier. */
  readonly text: string;
  readonly byte: number;
  readonly byteOffset: number;
}

/** Finds the first invalid byte of a chunk of UTF-8 or UTF-16. */
function findInvalidCharacter(
  encoding: string,
  { before, chunk, offset }: FailedChunk,
): InvalidCharacter {
  const isUtf8 = encoding === 'utf-8';
  const bytes = Buffer.concat([before, chunk]);
  const start = isUtf8 ? firstCharacterStart(before, offset) : (offset - before.length) % 2;
  const decoder = () => new TextDecoder(encoding, { ignoreBOM: true });
  const known = decoder().decode(before.subarray(start), { stream: true }).length;
  const text = decoder().decode(bytes.subarray(start));
  const replacement = Buffer.from('\ufffd', isUtf8 ? 'utf8' : 'utf16le');
  if (encoding === 'utf-16be') replacement.swap16();
  const byteAt = (at: number) => start + (isUtf8 ? Buffer.byteLength(text.slice(0, at)) : 2 * at);
  const isGenuine = (at: number) =>
    bytes.subarray(byteAt(at), byteAt(at) + replacement.length).equals(replacement);
  let at = text.indexOf('\ufffd', known);
  while (at !== -1 && isGenuine(at)) at = text.indexOf('\ufffd', at + 1);
  if (at === -1) at = text.length;
  return {
    text: text.slice(known, at),
    byte: bytes[byteAt(at)] ?? 0,
    byteOffset: offset - before.length + byteAt(at),
  };
}

/** Returns the index of the first byte that does not continue an earlier character of UTF-8. */
function firstCharacterStart(before: Uint8Array, offset: number): number {
  if (before.length === offset) return 0;
  const start = before.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start === -1 ? before.length : start;
}
