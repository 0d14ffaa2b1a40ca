import { createHash } from 'node:crypto';
import { lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hint, SvcError, step, systemErrorCode } from '../../kernel/errors.ts';
import {
  createFolder,
  createLocalFileError,
  readTextIfExists,
  throwFileError,
} from '../../kernel/files.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { STAGING_SUFFIX, stageFile } from '../../kernel/staged-file.ts';
import { createExistingFolderError } from '../outputs/check-outputs.ts';

/** A file of a dossier, with its path relative to the folder. */
export interface WrittenFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

export const ORGANIZATIONS_FOLDER = 'organizations';
export const MANIFEST = 'manifest.json';
export const REPORT = 'report.md';

/**
 * Creates the folder of a dossier, which only its owner can read (0700).
 * @throws SvcError `usage` if it exists, `local` if it cannot be created
 */
export async function createDossierFolder(folder: string): Promise<void> {
  try {
    await createFolder(dirname(folder));
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') throw createExistingFolderError('--out', folder);
    throw createLocalFileError('create', folder, error);
  }
  await createOrganizationsFolder(folder);
}

/**
 * Opens the folder of a dossier to continue it, and creates it if it is missing.
 * @throws SvcError `usage` if something else is in its place
 */
export async function reopenDossierFolder(folder: string, job: string): Promise<void> {
  const fail = throwFileError('read', folder);
  const stats = await lstat(folder).catch((error: unknown) =>
    systemErrorCode(error) === 'ENOENT' ? undefined : fail(error),
  );
  if (stats === undefined) return createDossierFolder(folder);
  const isOwn =
    stats.isDirectory() &&
    ((await isWithoutManifest(folder)) || (await readManifestJob(folder)) === job);
  if (!isOwn)
    throw new SvcError('usage', `${folder} is not the folder of job ${job}`, {
      hint: hint`move it away, or remove the job with ${step('inspect', 'jobs', 'remove', job)}`,
    });
  await createOrganizationsFolder(folder);
}

/** Whether a folder is as svc leaves it if it is killed before it writes the manifest. */
async function isWithoutManifest(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(throwFileError('read', folder));
  return names.every(
    (name) => name === ORGANIZATIONS_FOLDER || name.startsWith(`${MANIFEST}${STAGING_SUFFIX}`),
  );
}

async function readManifestJob(folder: string): Promise<unknown> {
  const manifest = tryParseJson((await readTextIfExists(join(folder, MANIFEST))) ?? '');
  return isObject(manifest) ? manifest['job'] : undefined;
}

async function createOrganizationsFolder(folder: string): Promise<void> {
  const path = join(folder, ORGANIZATIONS_FOLDER);
  await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
    if (systemErrorCode(error) !== 'EEXIST') throw createLocalFileError('create', path, error);
  });
}

const MAX_NAME_LENGTH = 60;
/** Names that are safe on every file system, also on one that ignores case. */
const SAFE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,58}[a-z0-9_-])?$/;
/** Names of devices on Windows, with any extension. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * Returns a file name for each organization, without an extension. Other IDs than safe names
 * get a name that contains their hash.
 */
export function nameOrganizationFiles(ids: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const isSafe = (id: string) => SAFE_NAME.test(id) && !DEVICE_NAME.test(id);
  const taken = new Set(ids.filter(isSafe));
  for (const id of ids) {
    if (isSafe(id)) names.set(id, id);
    else {
      const hash = createHash('sha256').update(id).digest('hex');
      const readable = id
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-+/, '')
        .slice(0, MAX_NAME_LENGTH - 20);
      const nameOf = (digits: number) => `${readable || 'id'}-${hash.slice(0, digits)}`;
      const name = taken.has(nameOf(12)) ? nameOf(64) : nameOf(12);
      taken.add(name);
      names.set(id, name);
    }
  }
  return names;
}

/** A private file (0600) that gets its name when it is complete. */
export interface FileWriter {
  write(text: string): Promise<void>;
  /** Flushes the file to disk, checks its size, and puts it in its place. */
  complete(): Promise<WrittenFile>;
  discard(): Promise<void>;
}

/**
 * Starts a file of a dossier. A killed run leaves a staged file, which the last run removes.
 * @throws SvcError `local`, like the methods
 */
export async function writeDossierFile(folder: string, file: string): Promise<FileWriter> {
  const path = join(folder, file);
  const fail = throwFileError('write', path);
  const staged = await stageFile(path).catch(fail);
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async write(text) {
      const encoded = Buffer.from(text);
      hash.update(encoded);
      bytes += encoded.length;
      await staged.write(encoded).catch(fail);
    },
    async complete() {
      await staged.replace(path, undefined).catch(fail);
      return { file, bytes, sha256: hash.digest('hex') };
    },
    discard: () => staged.discard().catch(() => undefined),
  };
}

/** @throws SvcError `local` */
export async function writeWholeFile(
  folder: string,
  file: string,
  text: string,
): Promise<WrittenFile> {
  const writer = await writeDossierFile(folder, file);
  try {
    await writer.write(text);
    return await writer.complete();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Whether a file is still as svc wrote it. */
export async function isUnchanged(
  folder: string,
  { file, bytes, sha256 }: WrittenFile,
): Promise<boolean> {
  const path = join(folder, file);
  try {
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size !== bytes) return false;
    const hash = createHash('sha256');
    const handle = await open(path, 'r');
    for await (const chunk of handle.createReadStream()) hash.update(chunk);
    return hash.digest('hex') === sha256;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw createLocalFileError('read', path, error);
  }
}

/** Name of a staged file. The names of complete files end in another extension. */
const STAGED = new RegExp(`${STAGING_SUFFIX.replace('.', '\\.')}[^.]+$`);

/** Removes staged files that a killed run has left. */
export async function removeStagedDossierFiles(folder: string): Promise<void> {
  for (const place of [folder, join(folder, ORGANIZATIONS_FOLDER)]) {
    const names = await readdir(place).catch(throwFileError('read', place));
    for (const name of names.filter((each) => STAGED.test(each)))
      await rm(join(place, name), { recursive: true, force: true });
  }
}
