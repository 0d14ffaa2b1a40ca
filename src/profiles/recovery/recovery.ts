import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { createPrivateFolder, flushFolder, localFileError, moveReplacing } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { processId } from '../../kernel/process.ts';
import { type RecoveryRecord, type ResetSubject, subjectKeyOf } from './record.ts';

/** An open recovery record. Each change is on disk when its promise resolves. */
export type RecoveryFile = ReturnType<typeof createUpdater>;

export type RecoveryStart = ResetSubject & Pick<RecoveryRecord, 'profile' | 'caFile' | 'startedAt' | 'oldToken'>;

/** Bytes reserved on disk for each line, so that the token can be stored even if the disk fills up. */
const RESERVED_BYTES = 8192;

/** The caller must hold the subject's lock. @throws SvcError `local` if the record cannot be written: don't send the reset */
export async function createRecoveryFile(folders: Folders, start: RecoveryStart): Promise<RecoveryFile> {
  const folder = await ensureRecoveryFolder(folders);
  const key = subjectKeyOf(start);
  const id = `${key}-${randomBytes(3).toString('hex')}`;
  const record: RecoveryRecord = {
    ...{ id, state: 'sending', ...start },
    ...{ pid: processId, machine: hostname(), token: null },
  };
  const path = join(folder, `${id}.json`);
  try {
    await discardUnfinished(folder, key);
    const file = await createDurably(path, record);
    await flushFolder(folder);
    await flushFolder(folders.state);
    return createUpdater(path, file, record);
  } catch (error) {
    await rm(`${path}${UNFINISHED_SUFFIX}`, { force: true }).catch(() => undefined); // report the first failure
    throw localFileError('write', path, error);
  }
}

export async function ensureRecoveryFolder({ state }: Folders): Promise<string> {
  const folder = join(state, 'recovery');
  await createPrivateFolder(state);
  await createPrivateFolder(folder);
  return folder;
}

export function recoveryLockOf({ state }: Folders, subject: ResetSubject): string {
  return join(state, 'recovery', `${subjectKeyOf(subject)}.lock`);
}

/** The suffix of a record file until it is complete. A reset with an incomplete file was never sent. */
const UNFINISHED_SUFFIX = '.new';

async function discardUnfinished(folder: string, key: string): Promise<void> {
  const names = await readdir(folder);
  const unfinished = names.filter((name) => name.startsWith(key) && name.endsWith(UNFINISHED_SUFFIX));
  for (const name of unfinished) await rm(join(folder, name), { force: true });
}

async function createDurably(path: string, record: RecoveryRecord): Promise<FileHandle> {
  const file = await open(path + UNFINISHED_SUFFIX, 'wx', 0o600);
  try {
    await writeAt(file, 0, `${lineOf(record)}${lineOf(record)}`);
    await moveReplacing(path + UNFINISHED_SUFFIX, path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Creates the interface for updating a record. The first line never changes; each update overwrites the second. */
function createUpdater(path: string, file: FileHandle, record: RecoveryRecord) {
  const write = async (update: Pick<RecoveryRecord, 'state' | 'token'>) => {
    try {
      await writeAt(file, RESERVED_BYTES, lineOf({ ...record, ...update }));
    } catch (error) {
      throw localFileError('write', path, error);
    }
  };
  const close = () => file.close();
  return {
    path,
    close,
    setState: (state: 'unknown' | 'lost') => write({ state, token: null }),
    storeToken: (token: string) => write({ state: 'kept', token }),
    /** Deletes the record. Call once the token has been saved everywhere, or if nothing was applied. */
    remove: async (): Promise<void> => {
      await close();
      await removeRecord(path);
    },
  };
}

export async function removeRecord(path: string): Promise<void> {
  try {
    await rm(path, { force: true });
    await flushFolder(dirname(path));
  } catch (error) {
    throw localFileError('remove', path, error);
  }
}

function lineOf(record: RecoveryRecord): string {
  const text = JSON.stringify(record);
  return `${text}${' '.repeat(Math.max(0, RESERVED_BYTES - 1 - Buffer.byteLength(text)))}\n`;
}

async function writeAt(file: FileHandle, start: number, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, start + done);
    done += bytesWritten;
  }
  await file.sync();
}
