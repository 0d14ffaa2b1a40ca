import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A token that cannot be guessed: 32 characters that no shell, header or URL has to quote. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** 32 hexadecimal digits. */
export function newId(): string {
  return randomBytes(16).toString('hex');
}

/** Compares two secrets in a time that tells nothing of where, or whether in length, they differ. */
export function isSameSecret(one: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));
}
