import { createHash, type Hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readNamedBytes, readStreamBytes } from '../../bulk/source/bytes.ts';
import { formatFromName } from '../../bulk/source/detect-format.ts';
import {
  decodeInputText,
  type InputTextRequest,
  inputName,
  joinText,
} from '../../bulk/source/input-text.ts';
import { InputError } from '../../bulk/source/source.ts';
import { SvcError } from '../../kernel/errors.ts';
import { statIfPossible } from '../../kernel/file-identity.ts';
import { throwFileError } from '../../kernel/files.ts';
import { findNamedFile } from '../../kernel/named-file.ts';
import { once } from '../../kernel/once.ts';
import { stageFile } from '../../kernel/staged-file.ts';
import type { SettingsFile } from '../settings.ts';
import type { SettingsText } from './tree.ts';

export interface FilesRequest extends InputTextRequest {
  /** The text of the file, if it was read before: a pipe can be read only once. */
  readonly text?: string;
}

export interface ReadFile extends SettingsText {
  /** The file on disk; absent for stdin, and for a text that was read before. */
  readonly file?: SettingsFile;
}

/**
 * Reads a settings file, or the YAML files of a folder and its subfolders in the order of their
 * paths. Hidden files and folders are not read.
 * @throws SvcError `usage` if the file does not exist, `local` if it cannot be read, `invalid_input` if
 * it is not text
 */
export async function readFiles(request: FilesRequest): Promise<readonly ReadFile[]> {
  const { file, cwd } = request;
  const folder = resolve(cwd, file);
  const isFolder = file !== '-' && statIfPossible(() => statSync(folder))?.isDirectory();
  if (!isFolder) return [await readOne(request)];
  const settings = await Array.fromAsync(listSettings(folder, file, new Set()));
  if (settings.length === 0) throw new SvcError('usage', `${file} contains no .yaml or .yml file`);
  return Promise.all(settings.map((name) => readOne({ ...request, file: name })));
}

/** @param shown path of the folder as the user knows it */
async function* listSettings(
  folder: string,
  shown: string,
  visited: Set<string>,
): AsyncGenerator<string> {
  const fail = throwFileError('read', shown);
  const real = await realpath(folder).catch(fail);
  // A link may lead to a folder above it.
  if (visited.has(real)) return;
  visited.add(real);
  const names = await readdir(folder).catch(fail);
  for (const name of names.filter((each) => !each.startsWith('.')).toSorted()) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory()) yield* listSettings(path, join(shown, name), visited);
    else if (/\.ya?ml$/i.test(name)) yield join(shown, name);
  }
}

const MAX_CHARACTERS = 32 * 1024 * 1024;

async function readOne(request: FilesRequest): Promise<ReadFile> {
  const { file, cwd, stdin, signal } = request;
  const name = inputName(file);
  const format = formatFromName(name);
  if (format === 'csv' || format === 'ndjson')
    throw new InputError(name, {}, `expected YAML, found ${format}`);
  const path = file === '-' ? undefined : await findNamedFile(file, cwd);
  const folder = path === undefined ? cwd : dirname(path);
  if (request.text !== undefined) return { name, folder, text: request.text };
  const bytes =
    path === undefined
      ? readStreamBytes(stdin.stream, name, signal)
      : readNamedBytes(path, name, signal);
  const hash = new FileHash();
  const { chunks } = await decodeInputText(hash.update(bytes), name, { mayBeEmpty: true });
  const text = await joinText(chunks, name, MAX_CHARACTERS);
  return { name, folder, text, ...(path !== undefined && { file: hash.describe(path) }) };
}

/** Hashes a file that the settings name. @throws SvcError `usage` if it does not exist */
export async function hashFile(
  file: string,
  folder: string,
  signal: AbortSignal,
): Promise<SettingsFile> {
  return readHashed(file, folder, signal, async (bytes) => {
    for await (const _ of bytes);
  });
}

/**
 * Copies a file while it is hashed, so that the copy has exactly the hashed bytes. If svc is killed or the
 * disk is full, no partial copy is left.
 * @param copy path of a new file, which only this user can read
 * @throws SvcError `local`; EEXIST is its cause if the copy exists
 */
export async function copyHashed(
  file: string,
  copy: string,
  signal: AbortSignal,
): Promise<SettingsFile> {
  const fail = throwFileError('write', copy);
  return readHashed(file, '/', signal, async (bytes) => {
    const staged = await stageFile(copy).catch(fail);
    try {
      for await (const chunk of bytes) await staged.write(chunk).catch(fail);
      if (!(await staged.create(copy).catch(fail)))
        fail(Object.assign(new Error(), { code: 'EEXIST' }));
    } catch (error) {
      await staged.discard();
      throw error;
    }
  });
}

async function readHashed(
  file: string,
  folder: string,
  signal: AbortSignal,
  read: (bytes: AsyncIterable<Uint8Array>) => Promise<unknown>,
): Promise<SettingsFile> {
  const path = await findNamedFile(file, folder);
  if (!(await stat(path)).isFile()) throw new SvcError('usage', `${file} is not a regular file`);
  const hash = new FileHash();
  await read(hash.update(readNamedBytes(path, file, signal)));
  return hash.describe(path);
}

const SMALL_FILE_BYTES = 64 * 1024;

/**
 * Hashes the bytes of a file while they are read. Those of a small file are hashed when the hash is
 * used: a plan that is only printed needs none, and `node:crypto` takes 4 ms to load.
 */
class FileHash {
  readonly #kept: Uint8Array[] = [];
  #size = 0;
  #started: Hash | undefined;

  async *update(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      this.#size += chunk.length;
      if (this.#size > SMALL_FILE_BYTES) this.#hash.update(chunk);
      else this.#kept.push(Uint8Array.from(chunk));
      yield chunk;
    }
  }

  describe(path: string): SettingsFile {
    const digest = once(() => this.#hash.digest('hex'));
    return {
      path,
      get sha256() {
        return digest();
      },
    };
  }

  get #hash(): Hash {
    this.#started ??= this.#kept
      .splice(0)
      .reduce((hash, chunk) => hash.update(chunk), createHash('sha256'));
    return this.#started;
  }
}
