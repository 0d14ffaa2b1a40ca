import { constants } from 'node:fs';
import { copyFile, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Snapshot } from '../../../catalog/local/answers.ts';
import type { State } from '../../../catalog/state.ts';
import { hint, SvcError, step } from '../../../kernel/errors.ts';
import { createPrivateFolder, throwFileError, useIfMissing } from '../../../kernel/files.ts';
import { didYouMean } from '../../../kernel/nearest.ts';
import { isProcessRunning, processId } from '../../../kernel/process.ts';
import { closeAfter } from '../../../kernel/resource.ts';
import { flushFolder, moveReplacing } from '../../../kernel/staged-file.ts';
import { ensureLocalCredentials } from '../../records/bootstrap.ts';
import { finishMigrations } from '../../records/migrations.ts';
import { parseStoreLocation } from '../../store/location.ts';
import { openStore } from '../../store/open.ts';
import { SCHEMA_VERSION } from '../../store/schema.ts';
import { toSqliteOpenError } from '../../store/sqlite-errors.ts';
import type { Store } from '../../store/store.ts';
import { copyStore, readSnapshot, replaceRows } from './snapshot-file.ts';

const EXTENSION = '.sqlite';
const STAGING_PREFIX = '.staged-';

/**
 * Manages the snapshots of a store, in a private folder beside it.
 * @throws SvcError `usage` for a PostgreSQL store
 */
export function createSnapshots(location: string): Snapshots {
  const parsed = parseStoreLocation(location);
  if (parsed.kind === 'database') {
    throw new SvcError('usage', 'snapshots are not supported for PostgreSQL stores', {
      hint: hint`use pg_dump and pg_restore, or ${step('show', 'local', 'export')}`,
    });
  }
  const { path } = parsed;
  const folder = `${path}.snapshots`;

  const fail = throwFileError('write', folder);
  const find = async (name: string) => {
    const file = join(folder, checkName(name) + EXTENSION);
    const names = await listNames(folder);
    if (!names.includes(name)) throw createNotFoundError(name, names);
    return file;
  };
  /** Runs `work` on a copy of a snapshot (default: of the current data), and deletes the copy. */
  const withCopy = async <Result>(
    name: string | undefined,
    work: (copy: string) => Promise<Result>,
  ) => {
    const file = name === undefined ? undefined : await find(name);
    if (file) await readSnapshot(file);
    return withStagedFile(folder, async (copy) => {
      if (file) await copyFile(file, copy, constants.COPYFILE_FICLONE).catch(fail);
      else await withStore(path, () => copyStore(path, copy));
      return work(copy);
    });
  };
  return {
    /** Finds the path of a snapshot. @throws SvcError `not_found` with the nearest name */
    find,
    /** Saves the current data. Overwrites an existing snapshot with the same name. */
    save: async (name: string): Promise<Snapshot> => {
      const file = join(folder, checkName(name) + EXTENSION);
      await withCopy(undefined, async (copy) => {
        await moveReplacing(copy, file)
          .then(() => flushFolder(folder))
          .catch(fail);
      });
      return describeSnapshot(folder, name);
    },
    /**
     * Replaces the data of the store, including its API keys and tokens. Other processes can keep
     * using the store.
     */
    restore: async (name: string): Promise<Snapshot> => {
      const file = await find(name);
      const { version } = await readSnapshot(file);
      await withStore(path, async (store) => {
        if (version === SCHEMA_VERSION) await replaceRows(path, file);
        else
          await withCopy(name, (copy) =>
            withStore(copy, async () => undefined).then(() => replaceRows(path, copy)),
          );
        await finishMigrations(store);
      });
      return describeSnapshot(folder, name);
    },
    /**
     * Returns the snapshots, newest first. Passes an error to `report` for each unreadable file.
     */
    list: async (
      report: (error: unknown) => void = () => undefined,
    ): Promise<readonly Snapshot[]> => {
      const found: Snapshot[] = [];
      for (const name of await listNames(folder))
        await describeSnapshot(folder, name).then((snapshot) => found.push(snapshot), report);
      return found.toSorted((one, other) => other.savedAt.localeCompare(one.savedAt));
    },
    remove: async (name: string): Promise<void> => {
      await rm(await find(name)).catch(fail);
    },
    /** Exports the data of a snapshot, and the current data. */
    compare: async (
      name: string,
    ): Promise<{ readonly snapshot: State; readonly current: State }> => {
      const { exportState } = await import('../../state/transfer.ts');
      return {
        snapshot: await withCopy(name, (copy) => withStore(copy, exportState)),
        current: await withStore(path, exportState),
      };
    },
    withCopy,
  };
}

/** The snapshots of a store. */
export interface Snapshots {
  /** Returns the path of a snapshot's file. */
  readonly find: (name: string) => Promise<string>;
  readonly save: (name: string) => Promise<Snapshot>;
  readonly restore: (name: string) => Promise<Snapshot>;
  readonly list: (report?: (error: unknown) => void) => Promise<readonly Snapshot[]>;
  readonly remove: (name: string) => Promise<void>;
  /** Reads the snapshot and the current data. */
  readonly compare: (
    name: string,
  ) => Promise<{ readonly snapshot: State; readonly current: State }>;
  /** Runs work on a temporary copy of a snapshot, or of the current data. */
  readonly withCopy: <Result>(
    name: string | undefined,
    work: (copy: string) => Promise<Result>,
  ) => Promise<Result>;
}

async function withStore<Result>(
  path: string,
  work: (store: Store, apiKey: string) => Promise<Result>,
): Promise<Result> {
  return closeAfter(await openStore(path), async (store) => {
    try {
      return await work(store, (await ensureLocalCredentials(store)).apiKey);
    } catch (error) {
      throw error instanceof Error && 'errcode' in error ? toSqliteOpenError(error, path) : error;
    }
  });
}

async function withStagedFile<Result>(
  folder: string,
  work: (file: string) => Promise<Result>,
): Promise<Result> {
  await createPrivateFolder(folder);
  await removeAbandonedFiles(folder);
  const staging = await mkdtemp(join(folder, `${STAGING_PREFIX}${processId}-`));
  try {
    return await work(join(staging, `service${EXTENSION}`));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function removeAbandonedFiles(folder: string): Promise<void> {
  for (const entry of await readdir(folder)) {
    const owner = entry.startsWith(STAGING_PREFIX)
      ? Number.parseInt(entry.slice(STAGING_PREFIX.length), 10)
      : processId;
    if (!isProcessRunning(owner)) await rm(join(folder, entry), { recursive: true, force: true });
  }
}

async function listNames(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(useIfMissing([], folder));
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(EXTENSION));
  return files.map(({ name }) => name.slice(0, -EXTENSION.length)).filter(isName);
}

async function describeSnapshot(folder: string, name: string): Promise<Snapshot> {
  const file = join(folder, name + EXTENSION);
  const { records } = await readSnapshot(file);
  const { size, mtime } = await stat(file);
  return { name, bytes: size, savedAt: mtime.toISOString(), records };
}

/** A file name has at most 255 bytes, including the extension. */
function isName(name: string): boolean {
  return /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,200}$/.test(name);
}

function checkName(name: string): string {
  if (isName(name)) return name;
  throw new SvcError('usage', `invalid snapshot name '${name}'`, {
    hint: 'use up to 200 letters, digits, dots, hyphens, and underscores',
  });
}

function createNotFoundError(name: string, names: readonly string[]): SvcError {
  const save = hint`to save one, run ${step('change', 'local', 'snapshot', 'save', name)}`;
  return new SvcError('not_found', `snapshot '${name}' not found`, {
    hint: names.length > 0 ? didYouMean(name, names) : save,
  });
}
