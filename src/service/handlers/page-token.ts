import { fieldRefusal } from '../calls/validate.ts';

export function createPageToken(list: string, key: number): string {
  return Buffer.from(`${list}:${key}`).toString('base64url');
}

/**
 * Returns the key in a page token.
 * @throws Refusal INVALID_ARGUMENT if the token is not from this list
 */
export function parsePageToken(list: string, token: string, field = 'pageToken'): number {
  const [, key] =
    /^(\d{1,15})$/.exec(Buffer.from(token, 'base64url').toString().replace(`${list}:`, '')) ?? [];
  if (key === undefined || createPageToken(list, Number(key)) !== token)
    throw fieldRefusal([field], 'not a page token of this list');
  return Number(key);
}
