import { describeConnectionError } from '../../kernel/connection-error.ts';
import { type Failure, messageOf, SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { createLocalFileError } from '../../kernel/files.ts';
import { Refusal } from './refusal.ts';
import { damagedFailure, diskFullFailure } from './store-failure.ts';

const READ_ONLY_HINT =
  'the server is a standby, or its transactions are read-only: connect to the primary server';

/** Failures and hints for errors on opening a database, by PostgreSQL error code. */
const OPENING: Readonly<Record<string, readonly [failure: Failure, hint: string]>> = {
  '28P01': ['unauthenticated', 'set PGPASSWORD, or add the password to ~/.pgpass (mode 0600)'],
  '28000': ['permission_denied', 'use a user that pg_hba.conf on the server allows to connect'],
  '3D000': ['not_found', 'create the database: createdb -E UTF8 <database>'],
  '42501': [
    'permission_denied',
    'svc creates its tables on first use: grant CREATE on the schema to the user',
  ],
  '53300': [
    'unreachable',
    'each svc process uses up to 11 connections: raise max_connections, or close other connections',
  ],
  '25006': ['failed_precondition', READ_ONLY_HINT],
  '3F000': ['not_found', 'create the schema, or correct the search_path in the URL'],
  '57P03': ['unreachable', 'the server is starting or stopping: try again'],
};

export function toPostgresOpenError(error: unknown, name: string): SvcError {
  if (error instanceof SvcError) return error;
  if (error instanceof Refusal && error.cause !== undefined)
    return toPostgresOpenError(error.cause, name);
  if (error instanceof Refusal) {
    return new SvcError(
      'locked',
      `cannot open the store ${name}: another process is upgrading it`,
      {
        hint: 'try again when the upgrade is finished',
        cause: error,
      },
    );
  }
  const code = systemErrorCode(error) ?? '';
  const message = `cannot open the store ${name}: ${describeError(error)}`;
  const fail = (failure: Failure, hint: string) =>
    new SvcError(failure, message, { hint, cause: error });
  const known = OPENING[code];
  if (known) return fail(...known);
  if (
    error instanceof Error &&
    /client password must be a (non-empty )?string/.test(error.message)
  ) {
    return new SvcError('no_credential', `the store ${name} requires a password, but none is set`, {
      hint: 'set PGPASSWORD, or add the password to ~/.pgpass',
      cause: error,
    });
  }
  if (error instanceof Error && error.message.startsWith('The server does not support SSL'))
    return fail('unreachable', 'turn on ssl on the server, or remove sslmode from the URL');
  if (isUnreachable(error)) {
    return fail(
      'unreachable',
      'check that PostgreSQL is running (pg_isready), and check the host, port, and database in --store',
    );
  }
  if (error instanceof Error && 'path' in error && typeof error.path === 'string') {
    return createLocalFileError('read', error.path, error).reworded({
      hint: 'check the paths of sslrootcert, sslcert, and sslkey in --store',
    });
  }
  return fail('local', 'choose another store with --store');
}

/**
 * Converts an error of a transaction to a refusal or a store failure. Returns other errors
 * unchanged.
 */
export function toPostgresTransactionError(error: unknown, name: string): unknown {
  if (error instanceof Refusal) return error;
  const code = systemErrorCode(error) ?? '';
  if (code === DISK_FULL) return diskFullFailure(name, error);
  if (DAMAGED.test(code)) return damagedFailure(name, error);
  if (code === READ_ONLY)
    return withCause(new Refusal('FAILED_PRECONDITION', 'The store is read-only.'), error);
  if (code === DENIED) {
    const refusal = new Refusal(
      'FAILED_PRECONDITION',
      `The store denies this: ${messageOf(error)}.`,
    );
    return withCause(refusal, error);
  }
  if (code === LOCK_NOT_AVAILABLE) return new Refusal('UNAVAILABLE', 'The store is busy.');
  if (isUnreachable(error) || UNAVAILABLE.test(code))
    return withCause(new Refusal('UNAVAILABLE', 'The store cannot be reached.'), error);
  if (code === TOO_LONG)
    return notStorableRefusal('an ID is longer than the 2,700 bytes that an index can hold.');
  if (DATA.test(code)) return notStorableRefusal('a number is too large.');
  return error;
}

/**
 * Whether to retry a transaction: it failed due to a deadlock, a serialization conflict, or a
 * prepared statement that the server does not have anymore.
 */
export function isRetryable(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === '40P01' || code === '40001' || isUnusableStatement(error);
}

/**
 * Whether a prepared statement is unknown, exists already, or has an outdated result type. A pooler
 * may run each transaction on another connection of the server, and a table may change.
 */
export function isUnusableStatement(error: unknown): boolean {
  const code = systemErrorCode(error);
  if (code === '0A000') return error instanceof Error && error.message.startsWith('cached plan');
  return code === '26000' || code === '42P05';
}

/** Whether the server or a pooler has closed an idle connection. */
export function isBrokenConnection(error: unknown): boolean {
  const isClosed = /^(ECONNRESET|EPIPE|57P01|57P05)$/.test(systemErrorCode(error) ?? '');
  return (
    isClosed ||
    (error instanceof Error && /^(Connection terminated|Client has enc)/.test(error.message))
  );
}

export function isConnectionLimit(error: unknown): boolean {
  return systemErrorCode(error) === '53300';
}

export function isMissingPostgresTable(error: unknown): boolean {
  return systemErrorCode(error) === '42P01';
}

const LOCK_NOT_AVAILABLE = '55P03';
const TOO_LONG = '54000';
const DISK_FULL = '53100';
const DAMAGED = /^XX00[12]$/;
const DATA = /^22...$/;
/** A standby server, or a database whose transactions are read-only. Nothing was applied. */
const READ_ONLY = '25006';
/** Missing rights of the user. Nothing was applied. */
const DENIED = '42501';
/** Lost or too many connections, or a server that is stopping or starting. */
const UNAVAILABLE = /^(08...|53...|57P0.|25P03)$/;

function withCause(refusal: Refusal, cause: unknown): Refusal {
  return Object.assign(refusal, { cause });
}

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // The certificate file in the URL does not exist.
  if ('syscall' in error && error.syscall === 'open') return false;
  if (describeConnectionError(error) !== undefined) return true;
  if (/^E[A-Z_]+$/.test(systemErrorCode(error) ?? '')) return true;
  return /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client |Postgres connection has been discarded)/.test(
    error.message,
  );
}

function notStorableRefusal(reason: string): Refusal {
  return new Refusal('INVALID_ARGUMENT', `PostgreSQL cannot store this: ${reason}`);
}

function describeError(error: unknown): string {
  if (error instanceof Error && /timeout/i.test(error.message)) return 'no response in time';
  return describeConnectionError(error) ?? messageOf(error);
}
