import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { hint, SvcError, stepWithPlaceholder } from '../kernel/errors.ts';
import { statIfPossible } from '../kernel/file-identity.ts';
import { readTextIfExists } from '../kernel/files.ts';
import { type Environment, resolveHomeFolder } from '../kernel/folders.ts';
import { userId } from '../kernel/process.ts';
import { checkFields, expectObject, FileFormatError, parseSettingsJson } from './json-file.ts';

const NAME = '.svc.json';
const TEXT_KEYS = ['profile', 'org', 'output'] as const;
const KEYS = [...TEXT_KEYS, 'readOnly'];

/** The targets that a `.svc.json` makes read-only: all, or all except `--local`. */
export type ReadOnlyScope = 'all' | 'remote';

export type FolderSettings = { readonly [Key in (typeof TEXT_KEYS)[number]]?: string } & {
  readonly readOnly?: boolean | 'remote';
};

export interface FolderFile {
  readonly path: string;
  /** Path relative to the current folder. */
  readonly name: string;
  readonly settings: FolderSettings;
}

/** A setting that makes targets read-only, and where it is set. */
export interface ReadOnlySource {
  readonly source: string;
  readonly scope: ReadOnlyScope;
}

/** The `.svc.json` files that apply to a folder. */
export interface FolderFiles {
  readonly paths: readonly string[];
  /** The nearest file. Only `readOnly` is read from the others. */
  readonly nearest?: FolderFile;
  readonly readOnly: readonly ReadOnlySource[];
  /** Warnings about files that are not honored. */
  readonly warnings: readonly string[];
}

/**
 * Reads the `.svc.json` files of a folder and its parents, up to the root of the repository, the
 * home folder, or the border of the file system. A file may only refer to saved settings: write
 * access to a folder must not allow redirecting credentials. Of a file that another user could have
 * written, only `readOnly` counts.
 * @throws SvcError `usage`, naming the file and the key
 */
export async function readFolderFiles(cwd: string, environment: Environment): Promise<FolderFiles> {
  const paths: string[] = [];
  const readOnly: ReadOnlySource[] = [];
  const warnings: string[] = [];
  let nearest: FolderFile | undefined;
  // A deleted folder contains no file.
  for (const folder of cwd === '' ? [] : searchedFolders(resolve(cwd), environment)) {
    const path = join(folder, NAME);
    const link = statIfPossible(() => lstatSync(path));
    if (!link) continue;
    paths.push(path);
    const name = relative(cwd, path);
    const problem =
      findOwnerProblem(link) ?? findOwnerProblem(statIfPossible(() => statSync(path)));
    if (problem !== undefined) warnings.push(`ignored ${name}: ${problem}`);
    const scope = problem === undefined ? undefined : await readScopeOnly(path);
    const file = problem === undefined ? { path, name, settings: await read(path) } : undefined;
    const found = scope ?? scopeOf(file?.settings ?? {});
    if (found) readOnly.push({ source: path, scope: found });
    nearest ??= file;
  }
  return { paths, readOnly, warnings, ...(nearest && { nearest }) };
}

function* searchedFolders(cwd: string, environment: Environment): Generator<string> {
  const home = statIfPossible(() => statSync(resolveHomeFolder(environment)));
  for (let folder = cwd, stats = statIfPossible(() => statSync(cwd)); ; ) {
    yield folder;
    const parent = dirname(folder);
    const parentStats = statIfPossible(() => statSync(parent));
    const isHome = stats?.ino === home?.ino && stats?.dev === home?.dev;
    const isLast = parent === folder || isHome || stats?.dev !== parentStats?.dev;
    if (isLast || statIfPossible(() => lstatSync(join(folder, '.git')))) return;
    [folder, stats] = [parent, parentStats];
  }
}

/** Write permission of users who are neither the owner nor in its group. */
const WRITABLE_BY_OTHERS = 0o002;

/** Finds out why a file may be from another user. Windows has no such owners. */
function findOwnerProblem(stats: Stats | undefined): string | undefined {
  if (!stats || userId === undefined) return undefined;
  if (stats.uid !== userId && stats.uid !== 0)
    return 'it belongs to another user; if you trust it, change its owner';
  return !stats.isSymbolicLink() && (stats.mode & WRITABLE_BY_OTHERS) !== 0
    ? 'other users can write to it; if you trust it, run chmod o-w on it'
    : undefined;
}

function scopeOf({ readOnly }: FolderSettings): ReadOnlyScope | undefined {
  if (readOnly === 'remote') return 'remote';
  return readOnly ? 'all' : undefined;
}

/** Reads only `readOnly`, also of a damaged file, so that nobody can turn it off. */
async function readScopeOnly(path: string): Promise<ReadOnlyScope | undefined> {
  const text = (await readTextIfExists(path).catch(() => undefined)) ?? '';
  const values = [...text.matchAll(/"readOnly"\s*:\s*(true|"remote")/g)].map(([, value]) => value);
  if (values.includes('true')) return 'all';
  return values.length > 0 ? 'remote' : undefined;
}

async function read(path: string): Promise<FolderSettings> {
  const text = await readTextIfExists(path);
  if (text === undefined)
    throw new SvcError('usage', `${path} is a link to a file that does not exist`, {
      hint: 'restore the file, or delete the link',
    });
  return parseFolderSettings(text, path);
}

function parseFolderSettings(text: string, path: string): FolderSettings {
  try {
    const fields = expectObject(parseSettingsJson(text), 'the content');
    const unknownKey = Object.keys(fields).find((key) => KEYS.every((known) => known !== key));
    if (unknownKey !== undefined)
      throw new FileFormatError(`'${unknownKey}' is not allowed in this file`);
    checkFields(fields, 'string', TEXT_KEYS, '');
    if (fields['readOnly'] !== 'remote') checkReadOnlyField(fields['readOnly']);
    checkRepeats(text, Object.keys(fields).length);
    return fields;
  } catch (error) {
    if (!(error instanceof FileFormatError)) throw error;
    throw new SvcError('usage', `${path}: ${error.message}`, {
      hint: hint`the file may set profile, org, output, and readOnly; save URLs and secrets in a profile (${stepWithPlaceholder('configure', ['login'], '<name>')})`,
    });
  }
}

function checkReadOnlyField(value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean')
    throw new FileFormatError('readOnly must be true, false, or "remote"');
}

/** JSON.parse uses the last value of a key, so a repeated `readOnly` could turn itself off. */
function checkRepeats(text: string, keys: number): void {
  const colons = text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/:/g)?.length ?? 0;
  if (colons !== keys) throw new FileFormatError('it contains a key twice');
}
