import { SvcError } from './errors.ts';
import { rememberSecret } from './redact.ts';

/**
 * Matches `://user:password@`, up to the last `@` before the path: an unescaped password may
 * contain `@`.
 */
const PASSWORD_IN_USER_INFO = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*?:(?<password>[^/?#]*)@/i;
const PASSWORD_PARAMETER = /[?&](?:ssl)?password=(?<password>[^&#]*)/i;
/** Matches the password in a connection string: `host=db password='a b'`. */
const PASSWORD_KEYWORD =
  /(?:^|\s)(?:ssl)?password\s*=\s*(?:'(?<quoted>(?:[^'\\]|\\.)*)'|(?<password>[^\s&]+))/i;

/**
 * Returns the location.
 * @throws SvcError `usage` if it contains a password, which process lists and job records would
 * show
 */
export function checkStoreLocation(location: string): string {
  const password = [PASSWORD_IN_USER_INFO, PASSWORD_PARAMETER, PASSWORD_KEYWORD]
    .map((form) => form.exec(location)?.groups)
    .map((groups) => groups?.['quoted'] || groups?.['password'])
    .find(Boolean);
  if (password === undefined) return location;
  rememberSecret(password);
  rememberSecret(decodePercent(password));
  throw new SvcError('usage', '--store must not contain a password: process lists would show it', {
    hint: 'remove it, and set PGPASSWORD or add it to ~/.pgpass',
  });
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
