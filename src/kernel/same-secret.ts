import { timingSafeEqual } from 'node:crypto';

/**
 * Compares two secrets or signatures in constant time, so that timing does not reveal where they differ. Their length is not
 * secret.
 */
export function isSameSecret(one: string, other: string, encoding: BufferEncoding = 'utf8'): boolean {
  const [first, second] = [Buffer.from(one, encoding), Buffer.from(other, encoding)];
  return first.length === second.length && timingSafeEqual(first, second);
}
