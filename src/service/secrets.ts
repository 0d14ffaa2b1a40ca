import { randomBytes, randomUUID } from 'node:crypto';

/** A token that cannot be guessed: 32 characters that no shell, header or URL has to quote. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** A key for HS256, as long as its digests: 32 bytes in base64url. */
export function newSigningKey(): string {
  return randomBytes(32).toString('base64url');
}

/** 32 hexadecimal digits: of a UUID, whose random bytes Node.js asks for many at a time. For what is no secret. */
export function newId(): string {
  return randomUUID().replaceAll('-', '');
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** `ep_` and 27 letters or digits. */
export function newEndpointId(): string {
  return `ep_${base62(27)}`;
}

/** `msg_` and 27 letters or digits, the first of which tell the time: ids that are made together are kept together. */
export function newMessageId(now: number): string {
  let [time, rest] = ['', now];
  for (; time.length < TIME_DIGITS; rest = Math.floor(rest / BASE62.length))
    time = `${BASE62[rest % BASE62.length]}${time}`;
  return `msg_${time}${base62(27 - TIME_DIGITS)}`;
}

/** Enough for milliseconds until the year 2081. */
const TIME_DIGITS = 7;

/** Bytes from here on are passed over, or some characters would come more often than others. */
const UNEVEN = 256 - (256 % BASE62.length);

function base62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) if (byte < UNEVEN) text += BASE62[byte % BASE62.length];
  }
  return text.slice(0, length);
}
