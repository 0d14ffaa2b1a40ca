import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import { once } from '../kernel/once.ts';
import { redactCredentials } from '../kernel/redact-credentials.ts';

/** The start of a response body as it arrived, and whether that is all of it. */
export interface ResponseStart {
  readonly chunks: readonly Buffer[];
  readonly isComplete: boolean;
}

/**
 * Maximum bytes of a body to keep. More than the text needs, so that secrets at its end are
 * recognized.
 */
export const MAX_KEPT_BYTES = 2_048;
/** Maximum bytes of the text of a body. */
const MAX_TEXT_BYTES = 1_024;
/** Maximum bytes to decompress, which limits the work for a body that is mostly zeros. */
const MAX_DECOMPRESSED_BYTES = 1_000_000;

/**
 * Describes a response body in 1 kB: its text with secrets masked, or its type if it is not text. A
 * text that was cut ends with an ellipsis. Returns null for an empty body.
 */
export function describeBody(
  headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>,
  { chunks, isComplete }: ResponseStart,
  secrets: readonly string[],
): string | null {
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0) return null;
  const type = headers['content-type'] ?? '';
  const content = decompress(bytes, headers['content-encoding']);
  const text = content && decodeText(content, type, isComplete);
  if (text === undefined) return describeBinary(type);
  const certain = isComplete ? text : withoutPartialSecret(text, secrets);
  const whole = redactCredentials(certain, secrets).trimEnd();
  const shown = cutText(whole);
  return shown.length < whole.length || !isComplete ? `${shown}…` : shown || null;
}

type Decompress = (bytes: Buffer, options: object) => Buffer;

/** The built-in module is loaded when a member of it is used. */
const getDecoders = once(
  (): ReadonlyMap<string, readonly [decompress: Decompress, finishFlush: number]> => {
    const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = constants;
    return new Map([
      ['gzip', [gunzipSync, Z_SYNC_FLUSH]],
      ['x-gzip', [gunzipSync, Z_SYNC_FLUSH]],
      ['deflate', [inflateSync, Z_SYNC_FLUSH]],
      ['br', [brotliDecompressSync, BROTLI_OPERATION_FLUSH]],
    ]);
  },
);

/** Decompresses the start of a body. Returns undefined for an unknown or invalid encoding. */
function decompress(bytes: Buffer, encoding = 'identity'): Buffer | undefined {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || name === '') return bytes;
  const [decode, finishFlush] = getDecoders().get(name) ?? [];
  try {
    return decode?.(bytes, { finishFlush, maxOutputLength: MAX_DECOMPRESSED_BYTES });
  } catch {
    return undefined;
  }
}

/** Controls and the replacement character, which data contains more often than text. */
const UNUSUAL = /[\p{Cc}\ufffd]/gu;
/** White space, and the start of a terminal sequence. */
const USUAL_CONTROLS = '\t\n\v\f\r\u001b';

/** Decodes text with the charset of its type. Returns undefined for data that is not text. */
function decodeText(content: Buffer, type: string, isComplete: boolean): string | undefined {
  const [, charset = 'utf-8'] = /charset="?([\w-]{1,40})/i.exec(type) ?? [];
  const start = content.subarray(0, MAX_KEPT_BYTES);
  const isCut = !isComplete || start.length < content.length;
  const text = createDecoder(charset).decode(start, { stream: isCut });
  const unusual = (text.match(UNUSUAL) ?? []).filter((each) => !USUAL_CONTROLS.includes(each));
  return unusual.includes('\0') || unusual.length * 10 > text.length ? undefined : text;
}

function createDecoder(charset: string) {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

function describeBinary(type: string): string {
  const [name] = /^[\w.+-]{1,40}\/[\w.+-]{1,80}/.exec(type) ?? [];
  return name === undefined ? 'binary data' : `binary data (${name})`;
}

/** Minimum length of the start of a secret that is not shown. */
const MIN_PARTIAL_LENGTH = 4;

/** Removes the start of a secret from the end of a text that was cut. */
function withoutPartialSecret(text: string, secrets: readonly string[]): string {
  for (const secret of secrets)
    for (let length = secret.length - 1; length >= MIN_PARTIAL_LENGTH; length--)
      if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length);
  return text;
}

/** Cuts a text to a number of bytes, between two characters. */
function cutText(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_TEXT_BYTES) return text;
  return new TextDecoder().decode(bytes.subarray(0, MAX_TEXT_BYTES), { stream: true });
}
