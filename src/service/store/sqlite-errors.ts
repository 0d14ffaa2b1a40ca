import { messageOf, SvcError } from '../../kernel/errors.ts';
import { Refusal } from './refusal.ts';
import { damagedFailure, diskFullFailure, StoreFailure } from './store-failure.ts';

const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
/** The shared-memory file cannot grow. */
const IOERR_SHMSIZE = 4874;

function extendedCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode
    : 0;
}

export function isMissingSqliteTable(error: unknown): boolean {
  return error instanceof Error && error.message.includes('no such table');
}

export function toSqliteOpenError(error: unknown, path: string): SvcError {
  if (error instanceof SvcError) return error;
  const failure = toSqliteTransactionError(error, path);
  if (failure instanceof StoreFailure) return failure;
  if (failure instanceof Refusal) {
    return new SvcError('locked', `cannot open the store ${path}: another process has locked it`, {
      hint: 'try again',
      cause: error,
    });
  }
  return new SvcError('local', `cannot open the store ${path}: ${messageOf(error)}`, {
    hint: OTHER_STORE_HINT,
    cause: error,
  });
}

/**
 * Converts an error of a transaction to a refusal or a store failure. Returns other errors
 * unchanged.
 */
export function toSqliteTransactionError(error: unknown, path: string): unknown {
  const code = extendedCode(error) & 0xff;
  if (code === BUSY) return new Refusal('UNAVAILABLE', 'The store is busy.');
  if (code === FULL || extendedCode(error) === IOERR_SHMSIZE) return diskFullFailure(path, error);
  if (code === CORRUPT || code === NOTADB) return damagedFailure(path, error);
  if (code === IOERR || code === READONLY || code === CANTOPEN) {
    const hint = 'check the disk, and the permissions of the file and its folder';
    const refusal = new Refusal('UNAVAILABLE', 'The store cannot be used.');
    return new StoreFailure(
      `the store ${path} cannot be used: ${messageOf(error)}`,
      refusal,
      hint,
      error,
    );
  }
  return error;
}

export const OTHER_STORE_HINT = 'choose another store with --store';
