import { SvcError } from './errors.ts';
import { meetSecret } from './redact.ts';

/** `://user:password@`, up to the last `@` before the path: who does not escape a password may have more of them in it. */
const BEHIND_USER = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*?:(?<password>[^/?#]*)@/i;
const PARAMETER = /[?&](?:ssl)?password=(?<password>[^&#]*)/i;

/**
 * The location of a store as it was given. It shows in lists of processes, in messages and in what is kept of a run.
 * @throws SvcError `usage` where it holds a password, which is not repeated
 */
export function storeAddress(location: string): string {
  const password = [BEHIND_USER, PARAMETER].map((form) => form.exec(location)?.groups?.['password']).find(Boolean);
  if (password === undefined) return location;
  meetSecret(password);
  meetSecret(decoded(password));
  throw new SvcError('usage', '--store takes no password: whoever lists the processes of this machine would see it', {
    hint: 'leave it out, and set PGPASSWORD or write it into ~/.pgpass',
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
