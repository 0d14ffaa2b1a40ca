import { timingSafeEqual } from 'node:crypto';

/**
 * Compares two secrets or signatures in constant time, so that timing reveals only whether their
 * lengths differ.
 */
export function isSameSecret(a: string, b: string, encoding: BufferEncoding = 'utf8'): boolean {
  const [first, second] = [Buffer.from(a, encoding), Buffer.from(b, encoding)];
  return first.length === second.length && timingSafeEqual(first, second);
}
