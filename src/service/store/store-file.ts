import { constants } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { SvcError } from '../../kernel/errors.ts';
import { withoutExperimentalWarning } from '../../kernel/io.ts';
import { OTHER_STORE } from './sqlite-errors.ts';

/** The mark of a store in the header of its SQLite file: `svcS`. */
export const APPLICATION_ID = 0x73766353;

/** The beginning of every SQLite file. */
const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const APPLICATION_ID_AT = 68;
const HEADER_SIZE = 100;

/** Tables that every store has, also one from before stores were marked. */
const OWN_TABLES = ['schemaVersion', 'workspaces', 'apiKeys', 'authTokens'];

/**
 * Refuses a file that is something else, before it is changed. An empty file, and an SQLite file without tables, become
 * a store.
 * @throws SvcError `local`
 */
export async function refuseForeignFile(path: string, patience: number): Promise<void> {
  const header = await headerOf(path);
  if (header.length === 0) return;
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw foreign(path, 'it is not an SQLite file');
  if (header.length === HEADER_SIZE && header.readInt32BE(APPLICATION_ID_AT) === APPLICATION_ID) return;
  const tables = await tablesOf(path, patience);
  if (tables.length === 0 || OWN_TABLES.every((name) => tables.includes(name))) return;
  throw foreign(path, 'it is an SQLite database of another program');
}

async function headerOf(path: string): Promise<Buffer> {
  // Without O_NONBLOCK, opening a FIFO waits for its writer in a way that nothing interrupts.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw foreign(path, 'it is not a regular file');
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_SIZE), 0, HEADER_SIZE, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Read without locks where nobody uses the file: a lock would leave files beside a database with a write-ahead log. */
async function tablesOf(path: string, timeout: number): Promise<readonly string[]> {
  const { DatabaseSync } = await withoutExperimentalWarning('SQLite', () => import('node:sqlite'));
  const url = pathToFileURL(path);
  if (!(await isInUse(path))) url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true, timeout });
  try {
    const rows = database.prepare("select name from sqlite_master where type = 'table'").all();
    return rows.map(({ name }) => String(name)).filter((name) => !name.startsWith('sqlite_'));
  } finally {
    database.close();
  }
}

/** Whether a process has the file open with a write-ahead log, or left the log behind. */
async function isInUse(path: string): Promise<boolean> {
  return stat(`${path}-wal`).then(
    () => true,
    () => false,
  );
}

function foreign(path: string, reason: string): SvcError {
  return new SvcError('local', `cannot open the store ${path}: ${reason}`, { hint: OTHER_STORE });
}
