import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { SvcError } from '../../kernel/errors.ts';
import { OTHER_STORE_HINT } from './sqlite-errors.ts';

/** Application ID in the header of a store's SQLite file: `svcS`. */
export const APPLICATION_ID = 0x73766353;

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const APPLICATION_ID_AT = 68;
const HEADER_SIZE = 100;

/** Accepts an empty file. @throws SvcError `local` for a file of another program */
export async function rejectForeignFile(path: string): Promise<void> {
  const header = await readHeader(path);
  if (header.length === 0) return;
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw foreignFileError(path, 'it is not an SQLite file');
  if (header.length === HEADER_SIZE && header.readInt32BE(APPLICATION_ID_AT) === APPLICATION_ID) return;
  throw foreignFileError(path, 'it is an SQLite database of another program');
}

async function readHeader(path: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer and could not be interrupted.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw foreignFileError(path, 'it is not a regular file');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_SIZE), 0, HEADER_SIZE, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function foreignFileError(path: string, reason: string): SvcError {
  return new SvcError('local', `cannot open the store ${path}: ${reason}`, { hint: OTHER_STORE_HINT });
}
