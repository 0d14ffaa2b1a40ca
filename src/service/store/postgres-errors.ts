import { connectionFault } from '../../kernel/connection-fault.ts';
import { type Failure, messageOf, SvcError, systemErrorCode } from '../../kernel/errors.ts';
import { Refusal } from '../refusal.ts';
import { damaged, diskFull } from './store-failure.ts';

/** How opening a database may fail, by PostgreSQL's own codes. */
const OPENING: Readonly<Record<string, readonly [failure: Failure, hint: string]>> = {
  '28P01': ['unauthenticated', 'set PGPASSWORD, or write the password into ~/.pgpass (which only its owner may read)'],
  '28000': ['permission_denied', 'name a user that the server knows; its pg_hba.conf says who may come in from where'],
  '3D000': ['not_found', 'make it first: createdb -E UTF8 <database>'],
  '42501': ['permission_denied', 'svc makes its tables at the first use: grant create on the schema to the user'],
  '53300': ['unreachable', 'each server takes up to 11 connections: raise max_connections, or stop what holds them'],
  '57P03': ['unreachable', 'it is starting or stopping: run the command again'],
};

/** Why a store cannot be opened. */
export function atOpening(error: unknown, name: string): SvcError {
  if (error instanceof SvcError) return error;
  if (error instanceof Refusal && error.cause !== undefined) return atOpening(error.cause, name);
  if (error instanceof Refusal) {
    return new SvcError('locked', `cannot open the store ${name}: another process is upgrading it`, {
      hint: 'run the command again when it is done',
      cause: error,
    });
  }
  const code = systemErrorCode(error) ?? '';
  const message = `cannot open the store ${name}: ${reasonOf(error)}`;
  const [failure, hint] = OPENING[code] ?? [];
  if (failure) return new SvcError(failure, message, { ...(hint && { hint }), cause: error });
  if (lacksPassword(error)) {
    return new SvcError('no_credential', `the store ${name} asks for a password, and there is none`, {
      hint: 'set PGPASSWORD, or write it into ~/.pgpass',
      cause: error,
    });
  }
  if (isPlain(error)) {
    return new SvcError('unreachable', message, {
      hint: 'turn on ssl at the server, or leave sslmode out of the URL',
      cause: error,
    });
  }
  if (isLost(error)) {
    return new SvcError('unreachable', message, {
      hint: 'is PostgreSQL running there? pg_isready tells; --store names host, port and database',
      cause: error,
    });
  }
  return new SvcError('local', message, { hint: 'choose another store with --store', cause: error });
}

/** What a caller of the service is told of a failed statement; what says nothing to callers stays as it is. */
export function atWork(error: unknown, name: string): unknown {
  if (error instanceof Refusal) return error;
  const code = systemErrorCode(error) ?? '';
  if (code === DISK_FULL) return diskFull(name, error);
  if (DAMAGED.test(code)) return damaged(name, error);
  if (code === LOCK_NOT_AVAILABLE) return new Refusal('UNAVAILABLE', 'The store is busy.');
  if (isLost(error) || UNAVAILABLE.test(code)) return unavailable(error);
  if (code === TOO_LONG) return refusal('an id is longer than the 2,700 bytes that an index takes.');
  if (DATA.test(code)) return refusal('a number is too large.');
  return error;
}

/** Whether the same work may simply be done again: two had waited for each other, or could not both go on. */
export function isGivenUp(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === '40P01' || code === '40001';
}

/** Whether a connection that once was good turned out to be none: something closed it while it lay idle. */
export function isBroken(error: unknown): boolean {
  const isClosed = /^(ECONNRESET|EPIPE|57P01|57P05)$/.test(systemErrorCode(error) ?? '');
  return isClosed || (error instanceof Error && /^(Connection terminated|Client has enc)/.test(error.message));
}

/** Whether the server, the database or the user has all the connections that it may have. */
export function isTooMany(error: unknown): boolean {
  return systemErrorCode(error) === '53300';
}

/** Whether a query asked for a table that does not exist. */
export function isNoTable(error: unknown): boolean {
  return systemErrorCode(error) === '42P01';
}

const LOCK_NOT_AVAILABLE = '55P03';
const TOO_LONG = '54000';
const DISK_FULL = '53100';
/** Damaged data, and damaged indexes. */
const DAMAGED = /^XX00[12]$/;
/** Data exceptions. */
const DATA = /^22...$/;
/** Lost connections, too many of them, and a server that stops, starts, or only reads. */
const UNAVAILABLE = /^(08...|53...|57P0.|25006|25P03)$/;

/** Whether the server does not answer, or not any more. */
function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // A certificate that the URL names, and that is not there.
  if ('syscall' in error && error.syscall === 'open') return false;
  if (connectionFault(error) !== undefined) return true;
  if (/^E[A-Z_]+$/.test(systemErrorCode(error) ?? '')) return true;
  return /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client |Postgres connection has been discarded)/.test(
    error.message,
  );
}

function isPlain(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('The server does not support SSL');
}

function lacksPassword(error: unknown): boolean {
  return error instanceof Error && /client password must be a (non-empty )?string/.test(error.message);
}

function unavailable(cause: unknown): Refusal {
  const error = new Refusal('UNAVAILABLE', 'The store cannot be reached.');
  error.cause = cause;
  return error;
}

function refusal(reason: string): Refusal {
  return new Refusal('INVALID_ARGUMENT', `PostgreSQL cannot store this: ${reason}`);
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && /timeout/i.test(error.message)) return 'no answer in time';
  return connectionFault(error) ?? messageOf(error);
}
