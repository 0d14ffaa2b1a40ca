import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { SvcError } from '../../kernel/errors.ts';
import { quoteForShell } from '../../kernel/quote-for-shell.ts';
import { OTHER_STORE_HINT } from './sqlite-errors.ts';

/** Application ID in the header of a store's SQLite file: `svcS`. */
export const APPLICATION_ID = 0x73766353;
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const APPLICATION_ID_AT = 68;
const HEADER_SIZE = 100;

/** Accepts an empty file. @throws SvcError `local` for a file of another program */
export function rejectForeignFile(path: string): void {
  const header = readHeader(path);
  if (header.length === 0) return;
  if (!header.subarray(0, MAGIC.length).equals(MAGIC))
    throw createForeignFileError(path, 'it is not an SQLite file');
  const id = header.length === HEADER_SIZE ? header.readInt32BE(APPLICATION_ID_AT) : undefined;
  if (id === APPLICATION_ID) return;
  throw createForeignFileError(
    path,
    'it is an SQLite database of another program',
    id === 0 ? createMarkHint(path) : OTHER_STORE_HINT,
  );
}

/** Reads synchronously: node:fs/promises takes longer to load. */
function readHeader(path: string): Buffer {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer and could not be interrupted.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw createForeignFileError(path, 'it is not a regular file');
    const header = Buffer.alloc(HEADER_SIZE);
    return header.subarray(0, readSync(file, header, 0, HEADER_SIZE, 0));
  } finally {
    closeSync(file);
  }
}

/** A store that was restored from the output of `.dump` has lost its application ID. */
function createMarkHint(path: string): string {
  const command = `sqlite3 ${quoteForShell(path)} 'pragma application_id = ${APPLICATION_ID}'`;
  return `${OTHER_STORE_HINT}; to use a store that was restored from a dump: ${command}`;
}

function createForeignFileError(path: string, reason: string, hint = OTHER_STORE_HINT): SvcError {
  return new SvcError('local', `cannot open the store ${path}: ${reason}`, { hint });
}
