import type { Clock } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { acquireLock } from '../../kernel/lock.ts';
import { createStoreFile, parseStoreLocation } from './location.ts';

/**
 * Other commands can still use the store. A PostgreSQL database can be served by several processes.
 * @throws SvcError `locked` with the process ID of the owner
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
