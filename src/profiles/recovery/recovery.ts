import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { flushFolder, localFileError, moveOver, privateFolder } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { processId } from '../../kernel/io.ts';
import { type RecoveryRecord, type ResetSubject, subjectKey } from './record.ts';

/** A record that is being kept up to date. Each change is on disk when its promise resolves. */
export interface Recovery {
  readonly path: string;
  note(state: 'unknown' | 'lost'): Promise<void>;
  keep(token: string): Promise<void>;
  /** Takes the record away: all is where it belongs, or nothing was applied. */
  remove(): Promise<void>;
  /** Leaves the record where it is. */
  close(): Promise<void>;
}

export type Beginning = ResetSubject & Pick<RecoveryRecord, 'profile' | 'caFile' | 'startedAt' | 'oldToken'>;

/** Bytes that are taken on disk beforehand, so that a disk that fills up meanwhile has room for the token. */
const RESERVED = 8192;

/**
 * Writes the record of a reset that is about to be sent, and room for what comes after it. Only under the lock of its
 * subject.
 * @throws SvcError `local` when it cannot be on disk: then nothing may be sent.
 */
export async function beginRecovery(folders: Folders, beginning: Beginning): Promise<Recovery> {
  const folder = await recoveryFolder(folders);
  const key = subjectKey(beginning);
  const id = `${key}-${randomBytes(3).toString('hex')}`;
  const record: RecoveryRecord = {
    ...{ id, state: 'sending', ...beginning },
    ...{ pid: processId, machine: hostname(), token: null },
  };
  const path = join(folder, `${id}.json`);
  try {
    await discardUnfinished(folder, key);
    const file = await createDurably(path, record);
    await flushFolder(folder);
    await flushFolder(folders.state);
    return openRecord({ path, file, record });
  } catch (error) {
    await rm(`${path}${UNFINISHED}`, { force: true }).catch(() => undefined); // the first failure is the one to tell
    throw localFileError('write', path, error);
  }
}

/** The folder of all records, open to its owner only. */
export async function recoveryFolder({ state }: Folders): Promise<string> {
  const folder = join(state, 'recovery');
  await privateFolder(state);
  await privateFolder(folder);
  return folder;
}

/** The lock that a reset of this token holds. */
export function recoveryLock({ state }: Folders, subject: ResetSubject): string {
  return join(state, 'recovery', `${subjectKey(subject)}.lock`);
}

/** Until it is whole a record has another name: what a kill leaves under that was never sent. */
const UNFINISHED = '.new';

async function discardUnfinished(folder: string, key: string): Promise<void> {
  const names = await readdir(folder);
  const unfinished = names.filter((name) => name.startsWith(key) && name.endsWith(UNFINISHED));
  for (const name of unfinished) await rm(join(folder, name), { force: true });
}

async function createDurably(path: string, record: RecoveryRecord): Promise<FileHandle> {
  const file = await open(path + UNFINISHED, 'wx', 0o600);
  try {
    await writeAt(file, 0, `${lineOf(record)}${lineOf(record)}`);
    await moveOver(path + UNFINISHED, path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

interface OpenRecord {
  readonly path: string;
  readonly file: FileHandle;
  readonly record: RecoveryRecord;
}

/** The first line stays as it was; the second is written over, in place, by what is known since. */
function openRecord({ path, file, record }: OpenRecord): Recovery {
  const advance = async (known: Pick<RecoveryRecord, 'state' | 'token'>) => {
    try {
      await writeAt(file, RESERVED, lineOf({ ...record, ...known }));
    } catch (error) {
      throw localFileError('write', path, error);
    }
  };
  const close = () => file.close();
  return {
    path,
    close,
    note: (state) => advance({ state, token: null }),
    keep: (token) => advance({ state: 'kept', token }),
    remove: async () => {
      await close();
      await removeRecord(path);
    },
  };
}

/** Takes a record away for good. */
export async function removeRecord(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await flushFolder(dirname(path));
  } catch (error) {
    throw localFileError('remove', path, error);
  }
}

/** A line fills the room that is reserved; one that is longer goes on behind it. */
function lineOf(record: RecoveryRecord): string {
  const text = JSON.stringify(record);
  return `${text}${' '.repeat(Math.max(0, RESERVED - 1 - Buffer.byteLength(text)))}\n`;
}

async function writeAt(file: FileHandle, start: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done);
    done += bytesWritten;
  }
  await file.sync();
}
