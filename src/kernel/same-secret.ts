import { timingSafeEqual } from 'node:crypto';

/**
 * Compares two secrets, or what only who knows one can make, in a time that does not tell where they differ. Their length
 * is no secret.
 */
export function isSameSecret(one: string, other: string, encoding: BufferEncoding = 'utf8'): boolean {
  const [first, second] = [Buffer.from(one, encoding), Buffer.from(other, encoding)];
  return first.length === second.length && timingSafeEqual(first, second);
}
