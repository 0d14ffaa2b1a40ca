import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/clock.ts';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError, moveOver, privateFolder, readTextIfExists } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { isObject } from '../../kernel/is-object.ts';
import { jsonValue } from '../../kernel/json-value.ts';
import { withLock } from '../../kernel/lock.ts';
import type { Counts } from '../activity.ts';

/** One run that wrote to the service, as scripts read it. */
export interface HistoryEntry {
  /** When it began, RFC 3339. */
  readonly at: string;
  readonly profile: string | null;
  /** The host that was called, or `embedded service`. */
  readonly host: string;
  /** The command line, without free text and secrets. */
  readonly command: string;
  /** The first ids that it named. */
  readonly ids: readonly string[];
  readonly calls: number;
  /** Of a run over many records: what became of them. */
  readonly records: Counts | null;
  /** `done`, or the code of the error. */
  readonly outcome: string;
  readonly exitCode: number;
  readonly seconds: number;
}

/** Bytes of one file; there are two, and the older one goes when the younger one is full. */
const MOST_BYTES = 1024 * 1024;
/** Bytes of one that is read. A file grows past the other bound as long as it cannot be renamed. */
const MOST_READ = 64 * MOST_BYTES;

interface Files {
  readonly folder: string;
  readonly current: string;
  readonly older: string;
}

function filesIn({ state }: Folders): Files {
  const folder = join(state, 'history');
  return { folder, current: join(folder, 'history.ndjson'), older: join(folder, 'history.1.ndjson') };
}

/**
 * Adds a line of JSON. It is one write at the end of the file, so that lines of processes that run at once do not mix,
 * and begins with a newline, so that it stands by itself behind one that was cut.
 */
export async function appendEntry(folders: Folders, clock: Clock, line: string): Promise<void> {
  const files = filesIn(folders);
  await privateFolder(folders.state);
  await privateFolder(files.folder);
  let size = 0;
  try {
    const file = await open(files.current, 'a', 0o600);
    try {
      await file.write(`\n${line}\n`);
      ({ size } = await file.stat());
    } finally {
      await file.close();
    }
  } catch (error) {
    throw localFileError('write', files.current, error);
  }
  if (size > MOST_BYTES) await turnOver(files, clock);
}

/** The full file becomes the older one. Whoever is at it already does it for all. */
async function turnOver({ folder, current, older }: Files, clock: Clock): Promise<void> {
  try {
    await withLock(join(folder, 'turn-over.lock'), { clock, patience: 0 }, async () => {
      if ((await stat(current)).size > MOST_BYTES) await moveOver(current, older);
    });
  } catch (error) {
    if (!(error instanceof SvcError && error.failure === 'locked')) throw localFileError('rename', current, error);
  }
}

/** Every entry that can be read, the oldest first. */
export async function readEntries(folders: Folders): Promise<readonly HistoryEntry[]> {
  const { older, current } = filesIn(folders);
  const texts = [await readTextIfExists(older, MOST_READ), await readTextIfExists(current, MOST_READ)];
  return texts.flatMap((text = '') => text.split('\n').flatMap(entryIn));
}

/** A line that was cut, by a full disk say, is passed over. */
function entryIn(line: string): readonly HistoryEntry[] {
  const value = jsonValue(line);
  return isObject(value) && typeof value['at'] === 'string' ? [value as unknown as HistoryEntry] : [];
}

export async function clearEntries(folders: Folders): Promise<void> {
  const { older, current } = filesIn(folders);
  for (const path of [older, current]) {
    await rm(path, { force: true }).catch((error: unknown) => {
      throw localFileError('remove', path, error);
    });
  }
}
