import { randomBytes, randomUUID } from 'node:crypto';

/**
 * Generates an unguessable token of 32 characters that need no quoting in shells, headers, and
 * URLs.
 */
export function generateToken(): string {
  return randomBytes(24).toString('base64url');
}

/** Generates a 32-byte HS256 key as base64url. */
export function generateSigningKey(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Generates 32 hexadecimal digits from a UUID, which is faster than random bytes. Not for secrets.
 */
export function generateId(): string {
  return randomUUID().replaceAll('-', '');
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function generateEndpointId(): string {
  return `ep_${randomBase62(27)}`;
}

/**
 * Generates `msg_` and 27 letters and digits. They start with the time, so consecutive IDs are
 * adjacent in an index.
 */
export function generateMessageId(now: number): string {
  // A clock may be set before 1970, and run faster than real time, with fractions.
  let [time, rest] = ['', Math.max(0, Math.floor(now))];
  for (; time.length < TIME_DIGITS; rest = Math.floor(rest / BASE62.length))
    time = `${BASE62[rest % BASE62.length]}${time}`;
  return `msg_${time}${randomBase62(27 - TIME_DIGITS)}`;
}

/** Number of digits for the time in milliseconds. Sufficient until the year 2081. */
const TIME_DIGITS = 7;
/** Larger byte values are skipped. Otherwise, some characters would be more likely than others. */
const FIRST_SKIPPED_BYTE = 256 - (256 % BASE62.length);

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length))
      if (byte < FIRST_SKIPPED_BYTE) text += BASE62[byte % BASE62.length];
  }
  return text.slice(0, length);
}
