import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import { once } from '../kernel/once.ts';
import { maskSecret, redactJsonText, redactRemembered } from '../kernel/redact.ts';

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

/** Names of values that are secrets, in any naming style. */
const NAME = String.raw`(?<![\w.-])[\w.-]{0,40}?(?:authorization|passw(?:or)?d|passphrase|secret|token|api[-_]?key|private[-_]?key|access[-_]?key|credential)[\w.-]{0,40}`;

/** Matches `"password": "…"`, also with single quotes or escaped by JSON. */
const QUOTED_FIELD = new RegExp(
  String.raw`(${NAME}\\{0,8}["']?\s{0,8}[:=]\s{0,8}\\{0,8}(["']))((?:(?!\2|\\)[^\n]|\\.){1,2000})`,
  'gi',
);
/** Matches `PASSWORD=…` and `x-api-key: …`, whose value cannot be an ordinary word. */
const PLAIN_FIELD = new RegExp(
  String.raw`(${NAME}\s{0,8}(?:=>?|:)\s{0,8}(?:(?:Bearer|Basic|Token)\s{1,8})?)(?=[^\s"',;&<>]{0,200}\d)([^\s"',;&<>(){}]{6,2000})`,
  'gi',
);
const AUTHORIZATION = /(authorization\W{1,12}(?:[A-Za-z]{1,20}\s{1,8})?)([^\s"',;&<>]{4,2000})/gi;
/** Matches an HTTP credential that is not an ordinary word. */
const SCHEME = /(\b(?:Bearer|Basic)\s{1,8})(?=[\w.~+/-]{0,200}[\d=])([\w.~+/=-]{8,2000})/g;
/** Secrets that are recognized by their form, such as signing secrets and web tokens. */
const KNOWN_FORM =
  /\b(?:whsec_[\w+/=-]{8,200}|(?:[spr]k|gh[a-z]|github_pat|glpat|npm|pat|xox[a-z])[-_][\w-]{16,255}|[A-Z]{4}(?=[A-Z]{0,16}\d)[A-Z0-9]{16}\b|eyJ[\w-]{8,2000}\.[\w-]{4,2000}(?:\.[\w-]{0,2000})?)/g;
const PRIVATE_KEY =
  /(-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----)(?:(?!-----END)[\s\S]){0,8000}(-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g;

/**
 * Masks what is a credential in text of unknown origin, such as the response of a webhook receiver:
 * the given secrets, the values of fields with the name of a secret, HTTP credentials, and tokens,
 * keys, and signing secrets in common forms. Also masks a credential whose end is cut off.
 */
function redactCredentials(text: string, secrets: Iterable<string>): string {
  const known = redactRemembered(redactJsonText(text, secrets));
  const mask = (_: string, opening: string, value: string) => opening + maskSecret(value);
  return known
    .replace(PRIVATE_KEY, '$1****$2')
    .replace(
      QUOTED_FIELD,
      (_, opening: string, _quote, value: string) => opening + maskSecret(value),
    )
    .replace(AUTHORIZATION, mask)
    .replace(PLAIN_FIELD, mask)
    .replace(SCHEME, mask)
    .replace(KNOWN_FORM, maskSecret);
}
