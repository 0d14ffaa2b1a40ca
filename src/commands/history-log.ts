import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attribution } from '../kernel/attribution.ts';
import type { Clock } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import {
  appendToRegularFile,
  createLocalFileError,
  createPrivateFolder,
  readTextIfExists,
  throwFileError,
} from '../kernel/files.ts';
import type { Folders } from '../kernel/folders.ts';
import { isObject, tryParseJson } from '../kernel/json.ts';
import { withLock } from '../kernel/lock.ts';
import { moveReplacing } from '../kernel/staged-file.ts';
import type { JobCounts } from './activity.ts';

/** A command that wrote to a service. JSON output contains the same fields. */
export interface HistoryEntry extends Attribution {
  /** Start time, RFC 3339. */
  readonly at: string;
  readonly profile: string | null;
  /** Host of the service, or `embedded service`. */
  readonly host: string;
  readonly command: string;
  readonly ids: readonly string[];
  readonly calls: number;
  /** Counts of a bulk job; null for other commands. */
  readonly records: JobCounts | null;
  /** `done`, or the error code. */
  readonly outcome: string;
  readonly exitCode: number;
  /** ID of the job for `svc undo`; null if no replaced values were saved. */
  readonly undo: string | null;
  /** Names of the people who approved the plan; absent without approvals. */
  readonly approvedBy?: readonly string[];
  readonly seconds: number;
}

/** Size at which a file is rotated, in bytes. Only the current and the previous file are kept. */
const MAX_BYTES = 1024 * 1024;
/** Maximum bytes to read from a file. A file can exceed `MAX_BYTES` if it could not be renamed. */
const MAX_READ_BYTES = 64 * MAX_BYTES;

function historyFiles({ state }: Folders) {
  const folder = join(state, 'history');
  return {
    folder,
    current: join(folder, 'history.ndjson'),
    older: join(folder, 'history.1.ndjson'),
  };
}

export async function appendEntry(folders: Folders, clock: Clock, line: string): Promise<void> {
  const files = historyFiles(folders);
  await createPrivateFolder(folders.state);
  await createPrivateFolder(files.folder);
  const size = await appendToRegularFile(files.current, `\n${line}\n`);
  if (size > MAX_BYTES) await rotate(files, clock);
}

async function rotate(
  { folder, current, older }: ReturnType<typeof historyFiles>,
  clock: Clock,
): Promise<void> {
  try {
    await withLock(join(folder, 'turn-over.lock'), { clock, timeout: 0 }, async () => {
      if ((await stat(current)).size > MAX_BYTES) await moveReplacing(current, older);
    });
  } catch (error) {
    if (!(error instanceof SvcError && error.failure === 'locked'))
      throw createLocalFileError('rename', current, error);
  }
}

export async function readEntries(folders: Folders): Promise<readonly HistoryEntry[]> {
  const { older, current } = historyFiles(folders);
  const texts = [
    await readTextIfExists(older, MAX_READ_BYTES),
    await readTextIfExists(current, MAX_READ_BYTES),
  ];
  return texts.flatMap((text = '') => text.split('\n').flatMap(parseEntry));
}

/** Parses a line. Skips invalid lines, such as a line truncated by a full disk. */
function parseEntry(line: string): readonly HistoryEntry[] {
  const value = tryParseJson(line);
  return isEntry(value) ? [value] : [];
}

const isEntry = (value: unknown): value is HistoryEntry =>
  isObject(value) && typeof value['at'] === 'string';

export async function clearEntries(folders: Folders): Promise<void> {
  const { older, current } = historyFiles(folders);
  for (const path of [older, current])
    await rm(path, { force: true }).catch(throwFileError('remove', path));
}
