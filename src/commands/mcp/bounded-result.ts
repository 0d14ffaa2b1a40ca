import { SvcError } from '../../kernel/errors.ts';
import { MAX_RESULT_BYTES } from './tools.ts';

/** Bytes left for notes beside a result. */
const NOTE_BYTES = 2_000;
const MAX_BYTES = MAX_RESULT_BYTES - NOTE_BYTES;

export interface BoundedResult {
  readonly text: string;
  readonly note?: string;
}

/**
 * Shortens a result to the limit: cuts a list, and says how to get the rest.
 * @throws SvcError `usage` if the result is too large and is not a list
 */
export function boundResult(text: string, offset: number): BoundedResult {
  const isShort = Buffer.byteLength(text) <= MAX_BYTES;
  if (isShort && offset === 0) return { text };
  const value: unknown = JSON.parse(text === '' ? 'null' : text);
  if (!Array.isArray(value)) {
    if (isShort) return { text };
    throw createTooLargeError(Buffer.byteLength(text), 'the result');
  }
  let bytes = 2;
  let end = offset;
  for (; end < value.length; end += 1) {
    bytes += Buffer.byteLength(JSON.stringify(value[end])) + 1;
    if (bytes > MAX_BYTES) break;
  }
  if (end === offset && offset < value.length)
    throw createTooLargeError(bytes, `record ${offset + 1} of the result`);
  const shown = JSON.stringify(value.slice(offset, end));
  if (end >= value.length) return { text: shown };
  const rest = `records ${offset + 1} to ${end} of ${value.length}; call read again with offset ${end} for the rest, or with fields to get more records at once`;
  return { text: shown, note: rest };
}

function createTooLargeError(bytes: number, subject: string): SvcError {
  return new SvcError(
    'usage',
    `${subject} has ${bytes} bytes, more than the limit of ${MAX_RESULT_BYTES}`,
    { hint: 'select parts of it with fields, or read single records by their IDs' },
  );
}
