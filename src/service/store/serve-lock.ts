import type { DatabaseSync } from 'node:sqlite';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError, readTextIfExists, replaceFile } from '../../kernel/files.ts';
import { processId } from '../../kernel/io.ts';
import { createStoreFile, storePlace } from './location.ts';
import { openDatabase } from './sqlite.ts';
import { isBusy } from './sqlite-errors.ts';

/** Kept from the garbage collector, which would close the database and with it give back the lock. */
const held = new Set<DatabaseSync>();

/**
 * Makes this process the one that serves a store. What holds the lock is a transaction on an empty database beside it:
 * the system ends it with its process, so that nobody has to guess whether an owner still lives. Other users of the
 * store are not kept out. A database of a server may be served by any number of processes.
 * @returns a function that gives the lock back
 * @throws SvcError `locked`, with the owner's process id.
 */
export async function lockForServing(location: string): Promise<() => void> {
  const place = storePlace(location);
  if (place.kind === 'database') return () => undefined;
  const path = `${place.path}.serve`;
  await createStoreFile(path);
  const database = await openDatabase(path, 0);
  const release = () => {
    held.delete(database);
    database.close();
  };
  try {
    database.exec('begin exclusive');
    await replaceFile(ownerPath(path), String(processId));
  } catch (error) {
    release();
    throw isBusy(error) ? await refusal(place.path, path) : localFileError('lock', path, error);
  }
  held.add(database);
  return release;
}

async function refusal(store: string, path: string): Promise<SvcError> {
  const owner = await readTextIfExists(ownerPath(path));
  return new SvcError('locked', `process ${owner ?? '(unknown)'} is serving ${store} already`, {
    hint: 'use that one, stop it first, or choose another store with --store',
  });
}

function ownerPath(path: string): string {
  return `${path}.pid`;
}
