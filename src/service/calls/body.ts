import { isUtf8 } from 'node:buffer';
import { isObject } from '../../kernel/json.ts';
import { nestsDeeperThan } from '../../kernel/json-nesting.ts';
import { yieldToEvents } from '../../kernel/run-in-slices.ts';
import { badRequest, invalidArgument, type Refusal } from '../store/refusal.ts';
import type { ServiceRequest } from './request.ts';
import { fieldRefusal, isWellFormed } from './validate.ts';

export const MAX_BODY_BYTES = 16 * 1024 * 1024;
export const MAX_UNCHECKED_BYTES = 64 * 1024;
export const MAX_TEXT_LENGTH = 1024 * 1024;
export const MAX_NESTING = 128;
/** In memory, a value is many times larger than its JSON text. */
const MAX_VALUES = 1_000_000;
/** The time to build an object grows faster than its properties. */
export const MAX_PROPERTIES = 10_000;

/** Limits the memory and the time that large bodies take at once. */
interface LargeBodies {
  /** Called once with the expected size, before more than `MAX_UNCHECKED_BYTES` are read. */
  readonly admit: (bytes: number) => Promise<void>;
  /** Runs work on a large body when no other large call is at work. */
  readonly takeTurn: TakeTurn;
}

export type TakeTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * @throws Refusal INVALID_ARGUMENT unless the body is JSON with the single key `data` and is within
 * the limits; also the errors of `admit`
 */
export async function readData(
  request: ServiceRequest,
  largeBodies: LargeBodies,
): Promise<unknown> {
  const { body, longestText } = await parseRequest(request, largeBodies);
  if (!isObject(body) || !Object.hasOwn(body, 'data') || Object.keys(body).length !== 1)
    throw badRequest();
  const { data } = body;
  const path = longestText > MAX_TEXT_LENGTH ? pathOfLongText(data) : undefined;
  if (path) throw fieldRefusal(path, `longer than ${MAX_TEXT_LENGTH} characters`);
  return data;
}

/** Finds the organization that the data of a call names. The data is not checked. */
export function findOrganizationId(data: unknown): string | undefined {
  const id = isObject(data) ? data['organizationId'] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Reads a body that is a JSON object, like `readData`. Rejects large bodies. */
export async function readJson(request: ServiceRequest) {
  const { body } = await parseRequest(request, NO_LARGE_BODIES);
  if (!isObject(body)) throw badRequest();
  return body;
}

const NO_LARGE_BODIES: LargeBodies = {
  admit: () => Promise.reject(bodyTooLarge(MAX_UNCHECKED_BYTES)),
  takeTurn: (work) => work(),
};

async function parseRequest(request: ServiceRequest, { admit, takeTurn }: LargeBodies) {
  if (!/^application\/json\s*(;|$)/i.test(request.header('content-type') ?? '')) throw badRequest();
  const bytes = await readBytes(request, admit);
  if (bytes.length <= MAX_UNCHECKED_BYTES) return { body: parseBytes(bytes), longestText: 0 };
  return takeTurn(async () => {
    // Each step blocks the event loop, so other requests get a turn before and between them.
    await yieldToEvents();
    const longestText = checkLimits(bytes);
    await yieldToEvents();
    return { body: parseBytes(bytes), longestText };
  });
}

function parseBytes(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw badRequest();
  return parseBody(bytes.toString('utf8'));
}

export function bodyTooLarge(limit: number): Refusal {
  return invalidArgument(`The body is larger than ${limit} bytes.`);
}

async function readBytes(
  request: ServiceRequest,
  admit: (bytes: number) => Promise<void>,
): Promise<Buffer> {
  const declared = Number(request.header('content-length') ?? 0);
  let isAdmitted = declared > MAX_UNCHECKED_BYTES;
  if (isAdmitted) await admit(Math.min(declared, MAX_BODY_BYTES));
  checkSize(declared);
  const chunks: Uint8Array[] = [];
  let size = 0;
  await request.body((chunk) => {
    size += chunk.length;
    if (isAdmitted) checkSize(size);
    chunks.push(chunk);
    if (size <= MAX_UNCHECKED_BYTES || isAdmitted) return undefined;
    isAdmitted = true;
    return admit(MAX_BODY_BYTES).then(() => checkSize(size));
  });
  return Buffer.concat(chunks);
}

function checkSize(bytes: number): void {
  if (bytes > MAX_BODY_BYTES) throw bodyTooLarge(MAX_BODY_BYTES);
}

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE, BRACKET_END, BRACE_END] =
  Buffer.from('"\\,:[{]}');

/**
 * Checks the limits of a JSON text without parsing it.
 * @returns the size of the longest string or property name, in bytes
 * @throws Refusal INVALID_ARGUMENT for too many values, properties of an object, or levels
 */
function checkLimits(json: Buffer): number {
  let [values, depth, longestText, start] = [0, 0, 0, -1];
  const properties = new Uint32Array(MAX_NESTING + 1);
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) {
      if (start >= 0) longestText = Math.max(longestText, at - start - 1);
      start = start < 0 ? at : -1;
    } else if (start >= 0) {
      if (byte === BACKSLASH) at += 1;
    } else if (byte === COMMA) values += 1;
    else if (byte === COLON) {
      const count = (properties[depth] ?? 0) + 1;
      if (count > MAX_PROPERTIES) throw tooManyPropertiesRefusal();
      properties[depth] = count;
    } else if (byte === BRACE || byte === BRACKET) {
      values += 1;
      depth += 1;
      if (depth > MAX_NESTING) throw nestedTooDeepRefusal();
      properties[depth] = 0;
    } else if (byte === BRACE_END || byte === BRACKET_END) depth -= 1;
  }
  if (values > MAX_VALUES)
    throw invalidArgument(`The body contains more than ${MAX_VALUES} values.`);
  return longestText;
}

function nestedTooDeepRefusal(): Refusal {
  return invalidArgument(`The body is nested deeper than ${MAX_NESTING} levels.`);
}

function tooManyPropertiesRefusal(): Refusal {
  return invalidArgument(`An object in the body has more than ${MAX_PROPERTIES} properties.`);
}

/**
 * Returns the path of the first string that is too long, or of the object with the long property
 * name.
 */
function pathOfLongText(value: unknown): (string | number)[] | undefined {
  if (typeof value === 'string') return value.length > MAX_TEXT_LENGTH ? [] : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (key.length > MAX_TEXT_LENGTH) return [];
    const path = pathOfLongText(inner);
    if (path) return [Array.isArray(value) ? Number(key) : key, ...path];
  }
  return undefined;
}

function parseBody(text: string): unknown {
  if (nestsDeeperThan(MAX_NESTING, text)) throw nestedTooDeepRefusal();
  try {
    const body: unknown = JSON.parse(text);
    if (/\\u[dD][89a-fA-F]/.test(text) && !isWellFormed(body)) throw badRequest();
    return body;
  } catch {
    throw badRequest();
  }
}
