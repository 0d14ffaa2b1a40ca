import type { Clock } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { acquireLock } from '../../kernel/lock.ts';
import { createStoreFile, parseStoreLocation } from './location.ts';

/**
 * Makes this process the only one that serves a store. Other commands can still use the store. Any number of processes can
 * serve a PostgreSQL database.
 * @returns a function that releases the store
 * @throws SvcError `locked` with the owner's process ID
 */
export async function lockForServing(location: string, clock: Clock): Promise<() => void> {
  const parsed = parseStoreLocation(location);
  if (parsed.kind === 'database') return () => undefined;
  await createStoreFile(parsed.path);
  const createError = (owner: string) =>
    new SvcError('locked', `${owner} is already serving ${parsed.path}`, {
      hint: 'use that server, stop it first, or choose another store with --store',
    });
  return acquireLock(`${parsed.path}.serve`, { clock, timeout: 0, createError });
}
