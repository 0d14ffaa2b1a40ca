import type { Clock } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { acquireLock } from '../../kernel/lock.ts';
import { createStoreFile, storePlace } from './location.ts';

/**
 * Makes this process the only one that serves a store. Other commands may use the store meanwhile. A PostgreSQL database may be served
 * by any number of processes.
 * @returns a function that releases the store
 * @throws SvcError `locked` with the owner's process ID
 */
export async function lockForServing(location: string, clock: Clock): Promise<() => void> {
  const place = storePlace(location);
  if (place.kind === 'database') return () => undefined;
  await createStoreFile(place.path);
  const refusal = (owner: string) =>
    new SvcError('locked', `${owner} is already serving ${place.path}`, {
      hint: 'use that server, stop it first, or choose another store with --store',
    });
  return acquireLock(`${place.path}.serve`, { clock, patience: 0, refusal });
}
