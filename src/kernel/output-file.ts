import { constants, type Stats, write } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { type Clock, systemClock } from './clock.ts';
import { SvcError, systemErrorCode } from './errors.ts';
import { createLocalFileError, resolveLinks, throwFileError } from './files.ts';
import { isDescriptorPath } from './read-file.ts';
import { flush, permissionsFor, stageFile } from './staged-file.ts';

export interface OutputRequest {
  /**
   * How to treat an existing regular file. `replace` writes a file beside it and puts that in its
   * place when it is closed, `append` writes to its end, and `fail` writes only to a new file.
   */
  readonly existing: 'replace' | 'append' | 'fail';
  /**
   * Permissions of a new file, without those that the umask excludes; an existing file keeps its
   * own. By default, the output is private: a new file gets 0600, and an existing file keeps only
   * the permissions of its owner.
   */
  readonly mode?: number;
  /** Encodes the text (default: as UTF-8). */
  readonly encode?: ((text: string) => Uint8Array) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}

/** Destination that a user named for the output of a command. */
export interface OutputFile {
  readonly path: string;
  /** False for devices and pipes, which svc never replaces, truncates, or removes. */
  readonly isRegular: boolean;
  write(text: string): Promise<void>;
  /** Flushes written text of a regular file to the disk. */
  sync(): Promise<void>;
  /**
   * Truncates the file to at most `bytes`. Returns the resulting size; 0 if the file is not
   * regular.
   */
  truncateTo(bytes: number): Promise<number>;
  close(): Promise<void>;
  /**
   * Closes the file, and removes it if it is new. A file to replace keeps its old content, and text
   * that was appended stays.
   */
  discard(): Promise<void>;
}

/**
 * Opens the output of a command. Devices and FIFOs, also behind a link, are written through: a
 * private file in place of `/dev/null` would break the machine for everyone. Waits for the reader
 * of a FIFO until the signal aborts.
 * @throws SvcError `local` with the path and the system's reason; EEXIST is its cause if
 * `existing` is `fail`
 */
export async function openOutputFile(path: string, request: OutputRequest): Promise<OutputFile> {
  try {
    const stats = await stat(path).catch(() => undefined);
    if (stats?.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    // A file that is already open has other writers, such as the stdout of this process.
    if (isWrittenThrough(path, stats)) return await openThrough(path, request);
    return request.existing === 'replace'
      ? await openReplacement(path, request)
      : await openRegular(path, request, request.existing, stats);
  } catch (error) {
    request.signal?.throwIfAborted();
    throw createLocalFileError('write', path, error);
  }
}

/** Whether an output goes to a device, a pipe, or an open file, which cannot be replaced or read back. */
export async function isStream(path: string): Promise<boolean> {
  return isWrittenThrough(path, await stat(path).catch(() => undefined));
}

function isWrittenThrough(path: string, stats: Stats | undefined): boolean {
  return (stats !== undefined && !stats.isFile()) || isDescriptorPath(path);
}

/**
 * Writes the output of a command to a file.
 * @param text the text, or its parts
 * @throws SvcError like `openOutputFile`
 */
export async function writeOutputFile(
  path: string,
  text: string | readonly string[],
  request: Omit<OutputRequest, 'existing'> = {},
): Promise<void> {
  const file = await openOutputFile(path, { ...request, existing: 'replace' });
  try {
    for (const part of [text].flat()) await file.write(part);
  } catch (error) {
    await file.discard();
    throw error;
  }
  await file.close();
}

const { O_WRONLY, O_CREAT, O_APPEND, O_EXCL } = constants;
/** `open` would wait for the reader of a FIFO in a thread that Ctrl-C cannot interrupt. */
const WITHOUT_WAITING = constants.O_NONBLOCK | constants.O_NOCTTY;
const FLAGS = { append: O_APPEND, fail: O_EXCL } as const;
const MAX_PAUSE = 50;
/** Time that an interrupted command waits for a reader that takes no text, in milliseconds. */
const INTERRUPTED_WAIT = 500;

function encodeUtf8(text: string): Uint8Array {
  return Buffer.from(text);
}

/** The text of an output whose final path is chosen when it is complete. */
export interface StagedOutput {
  write(text: string): Promise<void>;
  /** Puts the text in its place. Returns false if a file is there that it may not replace. */
  publish(path: string, options: { readonly mayReplace: boolean }): Promise<boolean>;
  discard(): Promise<void>;
}

/**
 * Stages a private text beside a path.
 * @throws SvcError `local`, like the methods
 */
export async function stageOutput(path: string, encode = encodeUtf8): Promise<StagedOutput> {
  const fail = throwFileError('write', path);
  const staged = await stageFile(path).catch(fail);
  return {
    write: (text) => staged.write(encode(text)).catch(fail),
    async publish(wanted, { mayReplace }) {
      const target = await resolveLinks(wanted).catch(fail);
      if (!mayReplace) return staged.create(target).catch(fail);
      await staged.replace(target, 0o600).catch(fail);
      return true;
    },
    discard: () => staged.discard().catch(fail),
  };
}

async function openReplacement(path: string, request: OutputRequest): Promise<OutputFile> {
  const { encode = encodeUtf8, mode } = request;
  const target = await resolveLinks(path);
  const staged = await stageFile(target, mode);
  const fail = throwFileError('write', path);
  return {
    path,
    isRegular: true,
    write: (text) => staged.write(encode(text)).catch(fail),
    sync: () => staged.finish().catch(fail),
    truncateTo: (bytes) => staged.truncateTo(bytes).catch(fail),
    close: () => staged.replace(target, mode).catch(fail),
    discard: () => staged.discard().catch(fail),
  };
}

async function openRegular(
  path: string,
  request: OutputRequest,
  existing: keyof typeof FLAGS,
  stats: Stats | undefined,
): Promise<OutputFile> {
  const { encode = encodeUtf8 } = request;
  const mode = permissionsFor(stats?.mode, request.mode);
  const handle = await open(path, O_WRONLY | O_CREAT | WITHOUT_WAITING | FLAGS[existing], mode);
  const fail = throwFileError('write', path);
  if (stats && (stats.mode & 0o777) !== mode) await handle.chmod(mode).catch(fail);
  const close = () => handle.close().catch(fail);
  return {
    path,
    isRegular: true,
    write: (text) => handle.appendFile(encode(text)).catch(fail),
    sync: () => flush(handle).catch(fail),
    async truncateTo(bytes) {
      const { size } = await handle.stat().catch(fail);
      if (size > bytes) await handle.truncate(bytes).catch(fail);
      return Math.min(size, bytes);
    },
    close,
    async discard() {
      await close();
      if (!stats) await rm(path, { force: true });
    },
  };
}

async function openThrough(path: string, request: OutputRequest): Promise<OutputFile> {
  const { encode = encodeUtf8 } = request;
  const handle = openOwn(path) ?? (await openWhenRead(path, request));
  const close = () => handle.close().catch(throwFileError('write', path));
  return {
    path,
    isRegular: false,
    write: (text) => writeThrough(handle, path, encode(text), request),
    sync: async () => undefined,
    truncateTo: async () => 0,
    close,
    discard: close,
  };
}

type Writable = Pick<FileHandle, 'close'> & {
  write(bytes: Uint8Array): Promise<{ bytesWritten: number }>;
};

const writeDescriptor = promisify(write);

/**
 * Returns stdout or stderr for their paths. If they are files, opening them again would write over
 * what this process prints.
 */
function openOwn(path: string): Writable | undefined {
  const [, name] = /^\/(?:dev\/(?:std|fd\/)|proc\/self\/fd\/)(out|err|[12])$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  const descriptor = name === 'out' || name === '1' ? 1 : 2;
  return { write: (bytes) => writeDescriptor(descriptor, bytes), close: async () => undefined };
}

/** Opens a device or a FIFO. A FIFO without a reader is ENXIO, and so are sockets. */
async function openWhenRead(
  path: string,
  { signal, clock = systemClock }: OutputRequest,
): Promise<FileHandle> {
  for (let pause = 1; ; pause = Math.min(2 * pause, MAX_PAUSE)) {
    try {
      return await open(path, O_WRONLY | O_APPEND | WITHOUT_WAITING);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENXIO' || !(await stat(path)).isFIFO()) throw error;
    }
    await clock.sleep(pause, signal);
  }
}

async function writeThrough(
  handle: Writable,
  path: string,
  bytes: Uint8Array,
  { signal, clock = systemClock }: OutputRequest,
): Promise<void> {
  let [rest, pause, waited] = [bytes, 1, 0];
  while (rest.length > 0) {
    try {
      rest = rest.subarray((await handle.write(rest)).bytesWritten);
      [pause, waited] = [1, 0];
      continue;
    } catch (error) {
      if (systemErrorCode(error) !== 'EAGAIN') throw createLocalFileError('write', path, error);
    }
    if (signal?.aborted && waited >= INTERRUPTED_WAIT) signal.throwIfAborted();
    await clock.sleep(pause);
    waited += pause;
    pause = Math.min(2 * pause, MAX_PAUSE);
  }
}

/** Whether an error of `openOutputFile` means that the file exists. */
export function isExistingFileError(error: unknown): boolean {
  return error instanceof SvcError && systemErrorCode(error.cause) === 'EEXIST';
}
