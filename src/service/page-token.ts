import { refusedField } from './validate.ts';

/** An opaque token that continues a list behind the record of this key. */
export function pageToken(list: string, key: number): string {
  return Buffer.from(`${list}:${key}`).toString('base64url');
}

/**
 * The key that a token of `pageToken` stands for.
 * @throws Refusal INVALID_ARGUMENT when it is none of this list.
 */
export function keyOfToken(list: string, token: string, field = 'pageToken'): number {
  const [, key] = /^(\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString().replace(`${list}:`, '')) ?? [];
  if (key === undefined || pageToken(list, Number(key)) !== token) {
    throw refusedField([field], 'not a token of this list');
  }
  return Number(key);
}
