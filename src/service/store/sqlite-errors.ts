import { messageOf, SvcError } from '../../kernel/errors.ts';
import { Refusal } from '../refusal.ts';
import { damaged, diskFull, StoreFailure } from './store-failure.ts';

const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
/** The shared memory beside the file cannot grow. */
const IOERR_SHMSIZE = 4874;

/** SQLite's own number of an error, with the reason in its higher bits. */
function extendedCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
}

function codeOf(error: unknown): number {
  return extendedCode(error) & 0xff;
}

/** Whether another connection's lock was in the way. */
function isBusy(error: unknown): boolean {
  return codeOf(error) === BUSY;
}

/** Whether a query asked for a table that does not exist. */
export function isNoTable(error: unknown): boolean {
  return error instanceof Error && error.message.includes('no such table');
}

/** The reason why a store file cannot be opened. */
export function atOpening(error: unknown, path: string): SvcError {
  if (error instanceof SvcError) return error;
  const failure = isBusy(error) ? busy() : atWork(error, path);
  if (failure instanceof StoreFailure) return failure;
  if (failure instanceof Refusal) {
    return new SvcError('locked', `cannot open the store ${path}: another process keeps it locked`, {
      hint: 'run the command again',
      cause: error,
    });
  }
  return new SvcError('local', `cannot open the store ${path}: ${messageOf(error)}`, {
    hint: OTHER_STORE,
    cause: error,
  });
}

/** The reason why a transaction failed. Errors that say nothing about the store stay as they are. */
export function atWork(error: unknown, path: string): unknown {
  const code = codeOf(error);
  if (code === BUSY) return busy();
  if (code === FULL || extendedCode(error) === IOERR_SHMSIZE) return diskFull(path, error);
  if (code === CORRUPT || code === NOTADB) return damaged(path, error);
  if (code === IOERR || code === READONLY || code === CANTOPEN) {
    return new StoreFailure(`the store ${path} cannot be used: ${messageOf(error)}`, {
      refusal: new Refusal('UNAVAILABLE', 'The store cannot be used.'),
      hint: 'check the disk, and the permissions of the file and its folder',
      cause: error,
    });
  }
  return error;
}

export const OTHER_STORE = 'choose another store with --store';

function busy(): Refusal {
  return new Refusal('UNAVAILABLE', 'The store is busy.');
}
