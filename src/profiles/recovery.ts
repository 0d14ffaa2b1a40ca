import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { ConnectionFiles } from '../client/target.ts';
import {
  createLocalFileError,
  createPrivateFolder,
  listFolder,
  readTextIfExists,
  throwFileError,
} from '../kernel/files.ts';
import type { Folders } from '../kernel/folders.ts';
import { isObject, tryParseJson } from '../kernel/json.ts';
import { processId } from '../kernel/process.ts';
import { flush, flushFolder, moveReplacing } from '../kernel/staged-file.ts';

/** An open recovery record, which is updated in place. */
export interface RecoveryFile {
  readonly path: string;
  readonly close: () => Promise<void>;
  readonly setState: (state: 'unknown' | 'lost') => Promise<void>;
  readonly storeToken: (token: string) => Promise<void>;
  /** Deletes the record. Call once the token has been saved everywhere, or if nothing was applied. */
  readonly remove: () => Promise<void>;
}
export type RecoveryStart = ResetSubject &
  Pick<RecoveryRecord, 'profile' | 'startedAt' | 'oldToken' | keyof ConnectionFiles>;
/**
 * Bytes reserved on disk for each line, so that the token can be stored even if the disk fills up.
 */
const RESERVED_BYTES = 8192;

/**
 * The caller must hold the subject's lock.
 * @throws SvcError `local` if the record cannot be written: don't send the reset
 */
export async function createRecoveryFile(
  folders: Folders,
  start: RecoveryStart,
): Promise<RecoveryFile> {
  const folder = await ensureRecoveryFolder(folders);
  const key = subjectKeyOf(start);
  const id = `${key}-${randomBytes(3).toString('hex')}`;
  const record: RecoveryRecord = {
    id,
    state: 'sending',
    ...start,
    pid: processId,
    machine: hostname(),
    token: null,
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
    throw createLocalFileError('write', path, error);
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

/**
 * The suffix of a record file until it is complete. A reset with an incomplete file was never sent.
 */
const UNFINISHED_SUFFIX = '.new';

async function discardUnfinished(folder: string, key: string): Promise<void> {
  const names = await readdir(folder);
  const unfinished = names.filter(
    (name) => name.startsWith(key) && name.endsWith(UNFINISHED_SUFFIX),
  );
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

/**
 * Creates the interface for updating a record. The first line never changes; each update overwrites
 * the second.
 */
function createUpdater(path: string, file: FileHandle, record: RecoveryRecord): RecoveryFile {
  const write = async (update: Pick<RecoveryRecord, 'state' | 'token'>) => {
    try {
      await writeAt(file, RESERVED_BYTES, lineOf({ ...record, ...update }));
    } catch (error) {
      throw createLocalFileError('write', path, error);
    }
  };
  return {
    path,
    close: () => file.close(),
    setState: (state: 'unknown' | 'lost') => write({ state, token: null }),
    storeToken: (token: string) => write({ state: 'kept', token }),
    /**
     * Deletes the record. Call once the token has been saved everywhere, or if nothing was applied.
     */
    remove: async (): Promise<void> => {
      await file.close();
      await removeRecord(path);
    },
  };
}

export async function removeRecord(path: string): Promise<void> {
  await rm(path, { force: true })
    .then(() => flushFolder(dirname(path)))
    .catch(throwFileError('remove', path));
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
  await flush(file);
}

/**
 * The progress of an auth token reset.
 * - `sending`: the request may have been sent; its outcome is unknown.
 * - `kept`: the service returned the new token, and the record stores it until it has been saved
 * everywhere.
 * - `unknown`: the response was lost, and it is unknown whether the old token still works.
 * - `lost`: the old token no longer works, and the new token was lost.
 */
const STATES = ['sending', 'kept', 'unknown', 'lost'] as const;
type RecoveryState = (typeof STATES)[number];

export interface ResetSubject {
  readonly apiKey: string;
  /** The origin of the service, or an identifier of the embedded service. */
  readonly place: string;
}

/**
 * The record of a reset that is in progress or was interrupted. Never contains the old token. The
 * paths of files are absolute.
 */
export interface RecoveryRecord extends ResetSubject, ConnectionFiles {
  readonly id: string;
  readonly state: RecoveryState;
  readonly profile: string | null;
  readonly startedAt: string;
  readonly pid: number;
  readonly machine: string;
  readonly oldToken: string | null;
  /** The new token, only in the state `kept`. */
  readonly token: string | null;
}

/** Computes a short hash that identifies a token without revealing it. */
export function fingerprintOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}

/** Returns the ID prefix of all records of one token, which is also the name of its lock. */
function subjectKeyOf({ apiKey, place }: ResetSubject): string {
  return createHash('sha256').update(`${place}\n${apiKey}`).digest('hex').slice(0, 8);
}

export function isForSubject(record: ResetSubject, { apiKey, place }: ResetSubject): boolean {
  return record.apiKey === apiKey && record.place === place;
}

/** Parses the text of a record file: its last complete line; `undefined` if no line is complete. */
export function parseRecord(text: string): RecoveryRecord | undefined {
  return text.split('\n').map(tryParseJson).findLast(isRecord);
}

const TEXT_FIELDS = ['id', 'apiKey', 'place', 'startedAt', 'machine'] as const;
const NULLABLE_TEXT_FIELDS = ['profile', 'oldToken', 'token'] as const;

function isRecord(value: unknown): value is RecoveryRecord {
  return (
    isObject(value) &&
    TEXT_FIELDS.every((field) => typeof value[field] === 'string') &&
    NULLABLE_TEXT_FIELDS.every(
      (field) => value[field] === null || typeof value[field] === 'string',
    ) &&
    typeof value['pid'] === 'number' &&
    STATES.some((state) => state === value['state'])
  );
}

export interface PendingRecovery {
  readonly path: string;
  readonly record: RecoveryRecord | undefined;
}

export async function listPendingRecoveries({
  state,
}: Folders): Promise<readonly PendingRecovery[]> {
  const folder = join(state, 'recovery');
  const recoveries: PendingRecovery[] = [];
  for (const name of await listFolder(folder)) {
    const path = join(folder, name);
    const text = name.endsWith('.json') ? await readTextIfExists(path) : undefined;
    if (text !== undefined) recoveries.push({ path, record: parseRecord(text) });
  }
  return recoveries.sort((a, b) =>
    (a.record?.startedAt ?? '').localeCompare(b.record?.startedAt ?? '', 'en'),
  );
}
