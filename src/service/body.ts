import { isUtf8 } from 'node:buffer';
import { nestsDeeperThan } from '../kernel/json-nesting.ts';
import { nextTurn } from '../kernel/next-turn.ts';
import { badRequest, invalidArgument, type Refusal } from './refusal.ts';
import type { ServiceRequest } from './request.ts';
import { refusedField } from './validate.ts';

/** Bytes that a request may have. */
export const LARGEST_BODY = 16 * 1024 * 1024;
/** Bytes that are read of a body whose sender is not known yet. */
export const SMALL_BODY = 64 * 1024;
/** Characters that one text or name may have. */
export const LONGEST_TEXT = 1024 * 1024;
/** Arrays and objects that may stand inside each other; far below what would overflow the stack. */
export const DEEPEST_NESTING = 128;
/** Values that a body may hold: parsed, a value takes many times the bytes that it has in the text. */
const MOST_VALUES = 1_000_000;

/**
 * The `data` of a call.
 * @param admit called once, with the bytes to expect, before more than `SMALL_BODY` is read
 * @throws Refusal INVALID_ARGUMENT unless the body is JSON, in `{"data": …}` alone, and within the limits; and what
 * `admit` throws.
 */
export async function readData(request: ServiceRequest, admit: (bytes: number) => Promise<void>): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '')) throw badRequest();
  const bytes = await readBytes(request, admit);
  if (bytes.length > SMALL_BODY) await ownTurn();
  if (!isUtf8(bytes)) throw badRequest();
  const longestText = bytes.length > LONGEST_TEXT ? checkMeasures(bytes) : 0;
  const body = parse(bytes.toString('utf8'));
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'data')) throw badRequest();
  if (Object.keys(body).length !== 1 || Array.isArray(body)) throw badRequest();
  const { data } = body as { readonly data: unknown };
  const path = longestText > LONGEST_TEXT ? pathOfLongText(data) : undefined;
  if (path) throw refusedField(path, `longer than ${LONGEST_TEXT} characters`);
  return data;
}

export function tooLarge(most: number): Refusal {
  return invalidArgument(`The body is larger than ${most} bytes.`);
}

async function readBytes(request: ServiceRequest, admit: (bytes: number) => Promise<void>): Promise<Buffer> {
  const declared = Number(request.header('content-length') ?? 0);
  let isAdmitted = declared > SMALL_BODY;
  if (isAdmitted) await admit(Math.min(declared, LARGEST_BODY));
  checkSize(declared);
  const parts: Uint8Array[] = [];
  let size = 0;
  await request.body((part) => {
    size += part.length;
    if (isAdmitted) checkSize(size);
    parts.push(part);
    if (size <= SMALL_BODY || isAdmitted) return undefined;
    isAdmitted = true;
    return admit(LARGEST_BODY).then(() => checkSize(size));
  });
  return Buffer.concat(parts);
}

function checkSize(bytes: number): void {
  if (bytes > LARGEST_BODY) throw tooLarge(LARGEST_BODY);
}

let lastTurn: Promise<void> = Promise.resolve();

/** A turn of the event loop for each large body: several that have arrived together do not keep others waiting. */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(nextTurn);
  return lastTurn;
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, BRACKET_END, BRACE_END] = Buffer.from('"\\,[{]}');

/**
 * Measures a JSON text without parsing it.
 * @returns the bytes between the quotes of the longest text or name
 * @throws Refusal INVALID_ARGUMENT when it holds too many values, or nests too deep
 */
function checkMeasures(json: Buffer): number {
  let [values, depth, deepest, longestText, start] = [0, 0, 0, 0, -1];
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      if (start >= 0) longestText = Math.max(longestText, at - start - 1);
      start = start < 0 ? at : -1;
    } else if (start >= 0) {
      if (byte === BACKSLASH) at += 1;
    } else if (byte === COMMA) values += 1;
    else if (byte === BRACE || byte === BRACKET) {
      values += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === BRACE_END || byte === BRACKET_END) depth -= 1;
  }
  if (deepest > DEEPEST_NESTING) throw nestedTooDeep();
  if (values > MOST_VALUES) throw invalidArgument(`The body holds more than ${MOST_VALUES} values.`);
  return longestText;
}

function nestedTooDeep(): Refusal {
  return invalidArgument(`The body is nested deeper than ${DEEPEST_NESTING} levels.`);
}

/** Where the first text is, or the value that has a name, that is too long. */
function pathOfLongText(value: unknown): (string | number)[] | undefined {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (key.length > LONGEST_TEXT) return [];
    const path = pathOfLongText(inner);
    if (path) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return undefined;
}

function parse(text: string): unknown {
  if (nestsDeeperThan(DEEPEST_NESTING, text)) throw nestedTooDeep();
  try {
    const body: unknown = JSON.parse(text);
    if (/\\u[dD][89a-fA-F]/.test(text) && hasLoneSurrogate(text)) throw badRequest();
    return body;
  } catch {
    throw badRequest();
  }
}

/** Half of a surrogate pair cannot be stored as UTF-8: two different ids would become one. @param json is valid */
function hasLoneSurrogate(json: string): boolean {
  const escapeAt = (at: number) => (json[at + 1] === 'u' ? Number.parseInt(json.slice(at + 2, at + 6), 16) : 0);
  for (let at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', at)) {
    const code = escapeAt(at);
    at += json[at + 1] === 'u' ? 6 : 2;
    if (isBetween(code, 0xdc00, 0xdfff)) return true;
    if (!isBetween(code, 0xd800, 0xdbff)) continue;
    if (json[at] !== '\\' || !isBetween(escapeAt(at), 0xdc00, 0xdfff)) return true;
    at += 6;
  }
  return false;
}

function isBetween(code: number, first: number, last: number): boolean {
  return code >= first && code <= last;
}
