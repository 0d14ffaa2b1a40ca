import { isUtf8 } from 'node:buffer';
import { nestsDeeperThan } from '../kernel/json-nesting.ts';
import { badRequest, invalidArgument } from './refusal.ts';
import type { ServiceRequest } from './request.ts';
import { refusedField } from './validate.ts';

/** Bytes that a request may have. */
export const LARGEST_BODY = 16 * 1024 * 1024;
/** Characters that one text or name may have. */
export const LONGEST_TEXT = 1024 * 1024;
/** Arrays and objects that may stand inside each other; far below what would overflow the stack. */
export const DEEPEST_NESTING = 128;

/** Puts a body together. One that is too large is read to its end nonetheless, so that its sender hears why. */
export function bodyParts() {
  const parts: Uint8Array[] = [];
  let size = 0;
  return {
    add: (part: Uint8Array) => {
      size += part.length;
      if (size <= LARGEST_BODY) parts.push(part);
      else parts.length = 0;
    },
    /** Nothing when it is too large. */
    whole: () => (size <= LARGEST_BODY ? Buffer.concat(parts) : undefined),
  };
}

/**
 * The `data` of a call.
 * @throws Refusal INVALID_ARGUMENT unless the body is JSON, in `{"data": …}` alone, and within the limits.
 */
export async function readData(request: ServiceRequest): Promise<unknown> {
  if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '')) throw badRequest();
  const bytes = await request.body();
  if (!bytes) throw invalidArgument(`The body is larger than ${LARGEST_BODY} bytes.`);
  if (!isUtf8(bytes)) throw badRequest();
  const body = parse(bytes.toString('utf8'));
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'data')) throw badRequest();
  if (Object.keys(body).length !== 1 || Array.isArray(body)) throw badRequest();
  const { data } = body as { readonly data: unknown };
  if (bytes.length > LONGEST_TEXT) checkTexts(data, []);
  return data;
}

/** @throws Refusal INVALID_ARGUMENT with the path of the first text, or of what has a name, that is too long. */
function checkTexts(value: unknown, path: readonly (string | number)[]): void {
  if (typeof value === 'string') checkText(value, path);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    checkText(key, path);
    checkTexts(inner, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

function checkText(text: string, path: readonly (string | number)[]): void {
  if (text.length > LONGEST_TEXT) throw refusedField(path, `longer than ${LONGEST_TEXT} characters`);
}

function parse(text: string): unknown {
  if (nestsDeeperThan(DEEPEST_NESTING, text)) {
    throw invalidArgument(`The body is nested deeper than ${DEEPEST_NESTING} levels.`);
  }
  try {
    const body: unknown = JSON.parse(text);
    if (text.includes('\\u') && !isWellFormed(body)) throw badRequest();
    return body;
  } catch {
    throw badRequest();
  }
}

/** Half of a surrogate pair cannot be stored as UTF-8: two different ids would become one. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}
