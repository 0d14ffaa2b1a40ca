import { fstatSync, readSync, statSync, writeSync } from 'node:fs';
import { SIGNAL_FAILURES, SvcError, systemErrorCode } from './errors.ts';
import { redactRemembered } from './redact.ts';

/** Destination for text. `write` resolves once the text has left this process, and rejects if it cannot be written. */
export interface Sink {
  readonly isTerminal: boolean;
  /** Width in columns; undefined if the sink is not a terminal. */
  readonly columns: number | undefined;
  /** Height in lines; undefined if the sink is not a terminal. */
  readonly rows?: number | undefined;
  /**
   * Whether the output is lost: the descriptor was closed when the process started, or the parent process discards it.
   * False for an explicit `> /dev/null`, which is the user's choice.
   */
  readonly isDiscarded?: boolean;
  /** The underlying stream, for prompts and progress bars. */
  readonly stream: NodeJS.WritableStream;
  write(text: string | Uint8Array): Promise<void>;
}

/** The three streams of a command. stdout carries only the result; all messages go to stderr. */
export interface Io {
  readonly stdin: { readonly isTerminal: boolean; readonly stream: NodeJS.ReadableStream };
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** ID of this process, which identifies the owner of a lock. */
export const processId: number = process.pid;

/** User ID of this process; undefined on Windows. Unlike `os.userInfo`, it needs no entry in /etc/passwd. */
export const userId: number | undefined = process.getuid?.();

/** Path of the Node.js executable, for child processes. */
export const nodeExecutable: string = process.execPath;

/** The current platform, without loading `node:os`. */
export const currentPlatform: NodeJS.Platform = process.platform;

/**
 * Returns the current folder, or an empty string if it was deleted: commands that don't use it still work. Resolving a
 * relative path then fails with an error that `isCurrentFolderDeleted` recognizes.
 */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (isCurrentFolderDeleted(error)) return '';
    throw error;
  }
}

/** Whether an error was caused by the deletion of the current folder. */
export function isCurrentFolderDeleted(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}

/** Version of Node.js: `v24.15.0`. */
export const nodeVersion: string = process.version;

export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'; // The process belongs to another user.
  }
}

/**
 * Redirects the signals that would end this process to `handle`, for a command that runs a child process and outlives it.
 * @returns a function that restores the previous handlers
 */
export function interceptSignals(handle: (signal: keyof typeof SIGNAL_FAILURES) => void): () => void {
  const names = Object.keys(SIGNAL_FAILURES) as (keyof typeof SIGNAL_FAILURES)[];
  const restore = names.map((name) => {
    const previous = process.listeners(name);
    process.on(name, handle);
    for (const listener of previous) process.off(name, listener);
    return () => {
      for (const listener of previous) process.on(name, listener);
      process.off(name, handle);
    };
  });
  return () => {
    for (const restoreSignal of restore) restoreSignal();
  };
}

/**
 * Signals all processes of the job, as the terminal does for Ctrl-C and Ctrl-Z. Windows has no process groups: only
 * this process's handlers run.
 */
export function signalJob(signal: 'SIGINT' | 'SIGTSTP'): void {
  if (currentPlatform === 'win32') process.emit(signal, signal);
  else process.kill(0, signal);
}

/** Calls `resume` when the job continues after Ctrl-Z. @returns a function that removes the listener */
export function onContinued(resume: () => void): () => void {
  process.on('SIGCONT', resume);
  return () => process.off('SIGCONT', resume);
}

/**
 * Prevents libraries from ending the process on a signal. Their `once` listeners send the signal again, which svc would
 * treat as a second Ctrl-C. SIGXFSZ never gets a listener: Node.js ignores this signal, so that a write beyond the file
 * size limit fails with an error, until a listener is added for the first time.
 */
export function ignoreSignalListenersOfLibraries(): void {
  const isIgnored = (event: unknown, listener: unknown) =>
    event === 'SIGXFSZ' ||
    (Object.hasOwn(SIGNAL_FAILURES, String(event)) && Object.hasOwn(Object(listener), 'listener'));
  process.on = new Proxy(process.on, {
    apply: (listen, self, parameters: readonly unknown[]) =>
      isIgnored(parameters[0], parameters[1]) ? process : Reflect.apply(listen, self, parameters),
  });
}

/**
 * Runs `load` without Node's warning that a built-in feature is experimental. Shows other warnings.
 * @param feature the text that the warning starts with
 */
export async function withoutExperimentalWarning<Value>(feature: string, load: () => Promise<Value>): Promise<Value> {
  const restore = muteWarnings((text, kind) => kind === 'ExperimentalWarning' && text.startsWith(feature));
  try {
    return await load();
  } finally {
    restore();
  }
}

/**
 * Suppresses matching Node.js warnings, which are not meant for users or which svc reports more clearly.
 * @returns a function that shows them again
 */
export function muteWarnings(isMuted: (text: string, kind: unknown) => boolean): () => void {
  const { emitWarning } = process;
  process.emitWarning = new Proxy(emitWarning, {
    apply: (warn, self, parameters: readonly unknown[]) => {
      const [warning, kind] = parameters;
      if (!isMuted(String(warning), kind)) Reflect.apply(warn, self, parameters);
    },
  });
  return () => {
    process.emitWarning = emitWarning;
  };
}

/** Wraps the streams of this process, each opened on first use. */
export function createProcessIo(): Io {
  return {
    stdin: {
      get isTerminal() {
        return isatty(0);
      },
      get stream() {
        return process.stdin;
      },
    },
    stdout: createSink(1, () => process.stdout),
    stderr: createMessageSink(createSink(2, () => process.stderr)),
  };
}

/**
 * Wraps stderr: redacts every secret that this process has received, and ignores write errors. A closed stderr never fails a
 * command, because its effects may already have happened.
 */
function createMessageSink(target: Sink): Sink {
  return withWrite(target, (text) =>
    target.write(typeof text === 'string' ? redactRemembered(text) : text).catch(() => undefined),
  );
}

/** Returns a copy of a sink with another `write`. */
export function withWrite(target: Sink, write: Sink['write']): Sink {
  return {
    get isTerminal() {
      return target.isTerminal;
    },
    get columns() {
      return target.columns;
    },
    get rows() {
      return target.rows;
    },
    get isDiscarded() {
      return target.isDiscarded ?? false;
    },
    get stream() {
      return target.stream;
    },
    write,
  };
}

/** Whether a descriptor is a terminal. Loads `node:tty`, and with it the network stack, only for character devices. */
function isatty(descriptor: number): boolean {
  const mayBeTerminal = process.platform === 'win32' || isCharacterDevice(descriptor);
  return mayBeTerminal && process.getBuiltinModule('node:tty').isatty(descriptor);
}

function isCharacterDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false; // The descriptor is closed.
  }
}

/**
 * Whether a descriptor is the null device, open for reading. Node.js substitutes it for a standard descriptor that was
 * closed at startup. For `> /dev/null`, a shell opens the device for writing only, so reading fails. Not detected on
 * Windows, which has no /dev/null.
 */
function isReadableNullDevice(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    const isNull = found.isCharacterDevice() && found.rdev === statSync('/dev/null').rdev;
    return isNull && readSync(descriptor, new Uint8Array(1)) === 0;
  } catch {
    return false;
  }
}

function createSink(descriptor: number, open: () => NodeJS.WriteStream): Sink {
  let opened: NodeJS.WriteStream | undefined;
  const stream = (): NodeJS.WriteStream => {
    // The callback of each write reports errors; without a listener, the stream would crash the process.
    opened ??= open().on('error', () => undefined);
    return opened;
  };
  return {
    get isTerminal() {
      return isatty(descriptor);
    },
    get columns() {
      return isatty(descriptor) ? stream().columns : undefined;
    },
    get rows() {
      return isatty(descriptor) ? stream().rows : undefined;
    },
    get isDiscarded() {
      return isReadableNullDevice(descriptor);
    },
    get stream() {
      return stream();
    },
    write: async (text) => {
      const rest = opened ? Buffer.from(text) : writeSynchronously(descriptor, Buffer.from(text));
      if (rest.length > 0) await writeToStream(stream(), rest);
    },
  };
}

/** Writes without opening a stream, which is slow at startup. Returns the bytes that a non-blocking pipe did not accept. */
function writeSynchronously(descriptor: number, bytes: Buffer): Buffer {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if (systemErrorCode(error) !== 'EAGAIN') throw outputError(error);
  }
  return bytes.subarray(written);
}

function writeToStream(stream: NodeJS.WriteStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(outputError(error)) : resolve()));
  });
}

/** Error codes of a write to a pipe whose reader closed it; EOF occurs on Windows. */
const CLOSED_PIPE_CODES: ReadonlySet<string> = new Set(['EPIPE', 'EOF', 'ERR_STREAM_DESTROYED']);

function outputError(error: unknown): SvcError {
  const code = systemErrorCode(error);
  if (code !== undefined && CLOSED_PIPE_CODES.has(code)) {
    return new SvcError('reader_gone', 'the reader of the output closed the pipe', { cause: error });
  }
  const reason = code === 'ENOSPC' ? 'the disk is full' : (code ?? String(error));
  return new SvcError('local', `cannot write the output: ${reason}`, {
    hint: 'check the disk of the output, then try again',
    cause: error,
  });
}

/** Maximum number of open files and connections for this process; infinite if unlimited, as on Windows. */
export function getOpenFileLimit(): number {
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  // With network data, the report resolves the names of remote hosts.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { userLimits?: { open_files: { soft: number | 'unlimited' } } };
  report.excludeNetwork = excludeNetwork;
  return Number(userLimits?.open_files.soft) || Number.POSITIVE_INFINITY;
}
