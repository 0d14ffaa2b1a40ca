import { fstatSync, readSync, statSync, writeSync } from 'node:fs';
import { SIGNAL_FAILURES, SvcError, systemErrorCode } from './errors.ts';
import { redactMet } from './redact.ts';

/** Where text goes. `write` resolves once the text has left this process, and rejects when it cannot be written. */
export interface Sink {
  readonly isTerminal: boolean;
  /** Width in columns; undefined when the sink is no terminal. */
  readonly columns: number | undefined;
  /**
   * Whether nobody can get what is written: the descriptor was closed when the process started, or its parent discards
   * the output. An explicit `> /dev/null` is a choice, and does not count.
   */
  readonly isDiscarded?: boolean;
  /** The stream itself, for prompts and progress that draw on it. */
  readonly stream: NodeJS.WritableStream;
  write(text: string | Uint8Array): Promise<void>;
}

/** The three streams of a command. stdout carries the result and nothing else; all talk goes to stderr. */
export interface Io {
  readonly stdin: { readonly isTerminal: boolean; readonly stream: NodeJS.ReadableStream };
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/** This process's number, by which a lock names its owner. */
export const processId: number = process.pid;

/** The number of this process's user; undefined on Windows. Unlike `os.userInfo`, it needs no entry in /etc/passwd. */
export const userId: number | undefined = process.getuid?.();

/** The Node.js that runs this, to start another one with. */
export const nodeProgram: string = process.execPath;

/** The system that this runs on, without loading what else Node.js knows of it. */
export const thisPlatform: NodeJS.Platform = process.platform;

/**
 * The folder that this process runs in. Empty when that folder was deleted: relative paths are then resolved by the
 * system, whose refusal `isFolderGone` recognizes, while a command that needs no folder runs.
 */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (isFolderGone(error)) return '';
    throw error;
  }
}

/** Whether an error says that the current folder was deleted. */
export function isFolderGone(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd';
}

/** Its version, as `v24.15.0`. */
export const nodeVersion: string = process.version;

/** Whether a process of this machine is running. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'; // another user's
  }
}

/**
 * Hands each signal that would end this run to `take` instead, for a command that runs another one and outlives it.
 * @returns a function that gives them back
 */
export function interceptSignals(take: (signal: keyof typeof SIGNAL_FAILURES) => void): () => void {
  const names = Object.keys(SIGNAL_FAILURES) as (keyof typeof SIGNAL_FAILURES)[];
  const restore = names.map((name) => {
    const others = process.listeners(name);
    process.on(name, take);
    for (const other of others) process.off(name, other);
    return () => {
      for (const other of others) process.on(name, other);
      process.off(name, take);
    };
  });
  return () => {
    for (const give of restore) give();
  };
}

/**
 * Leaves the signal of the file-size limit to Node for the rest of this run, whatever libraries listen to: Node ignores
 * it, so that a write fails and is reported. One listener, even one that has gone, and it ends the process.
 */
export function leaveFileSizeSignal(): void {
  process.on = new Proxy(process.on, {
    apply: (listen, self, given: readonly unknown[]) =>
      given[0] === 'SIGXFSZ' ? process : Reflect.apply(listen, self, given),
  });
}

/**
 * Runs `load` without Node's warning that a built-in feature, named as its warning begins, is experimental. Other
 * warnings pass.
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
 * Keeps warnings that go so from the user for the rest of this run: they are not meant for users, or svc says it better.
 * @returns a function that lets them through again
 */
export function muteWarnings(isMuted: (text: string, kind: unknown) => boolean): () => void {
  const { emitWarning } = process;
  process.emitWarning = new Proxy(emitWarning, {
    apply: (warn, self, given: readonly unknown[]) => {
      const [warning, kind] = given;
      if (!isMuted(String(warning), kind)) Reflect.apply(warn, self, given);
    },
  });
  return () => {
    process.emitWarning = emitWarning;
  };
}

/** The streams of this process, each opened at first use. */
export function processIo(): Io {
  return {
    stdin: {
      get isTerminal() {
        return isatty(0);
      },
      get stream() {
        return process.stdin;
      },
    },
    stdout: sink(1, () => process.stdout),
    stderr: forTalk(sink(2, () => process.stderr)),
  };
}

/**
 * Whatever is said, and whoever says it: no secret that came into this process is in it. Talk that cannot be written
 * fails nothing; what it is about may have happened.
 */
function forTalk(to: Sink): Sink {
  return writtenBy(to, (text) => to.write(typeof text === 'string' ? redactMet(text) : text).catch(() => undefined));
}

/** The same sink, but that `write` is what writes to it. */
export function writtenBy(to: Sink, write: Sink['write']): Sink {
  return {
    get isTerminal() {
      return to.isTerminal;
    },
    get columns() {
      return to.columns;
    },
    get isDiscarded() {
      return to.isDiscarded ?? false;
    },
    get stream() {
      return to.stream;
    },
    write,
  };
}

/**
 * Whether a descriptor is a terminal. `node:tty` brings the network stack along, so it is asked only of what may be one:
 * a pipe and a file are told by themselves.
 */
function isatty(descriptor: number): boolean {
  const mayBe = process.platform === 'win32' || isCharacterDevice(descriptor);
  return mayBe && process.getBuiltinModule('node:tty').isatty(descriptor);
}

function isCharacterDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false; // it is closed
  }
}

/**
 * Whether a descriptor is the null device, opened for reading too. Node.js puts it in the place of a standard
 * descriptor that is closed at the start; a shell opens it for `> /dev/null` to write only, so that reading fails.
 * Windows has no /dev/null, so a closed descriptor is not detected there.
 */
function isReadableNull(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    const isNull = found.isCharacterDevice() && found.rdev === statSync('/dev/null').rdev;
    return isNull && readSync(descriptor, new Uint8Array(1)) === 0;
  } catch {
    return false;
  }
}

function sink(descriptor: number, open: () => NodeJS.WriteStream): Sink {
  let opened: NodeJS.WriteStream | undefined;
  const stream = (): NodeJS.WriteStream => {
    // The callback of each write reports the failure; without a listener the stream would end the process itself.
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
    get isDiscarded() {
      return isReadableNull(descriptor);
    },
    get stream() {
      return stream();
    },
    write: async (text) => {
      const rest = opened ? Buffer.from(text) : writeAtOnce(descriptor, Buffer.from(text));
      if (rest.length > 0) await writeThrough(stream(), rest);
    },
  };
}

/** Writes without opening a stream, which costs start-up time, and returns what a pipe set to non-blocking did not take. */
function writeAtOnce(descriptor: number, bytes: Buffer): Buffer {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if (systemErrorCode(error) !== 'EAGAIN') throw outputError(error);
  }
  return bytes.subarray(written);
}

function writeThrough(stream: NodeJS.WriteStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(outputError(error)) : resolve()));
  });
}

/** What a write says to a pipe that nobody reads any more; EOF is what Windows calls it, depending on the moment. */
const READER_GONE: ReadonlySet<string> = new Set(['EPIPE', 'EOF', 'ERR_STREAM_DESTROYED']);

function outputError(error: unknown): SvcError {
  const code = systemErrorCode(error);
  if (code !== undefined && READER_GONE.has(code)) {
    return new SvcError('reader_gone', 'the reader of the output left', { cause: error });
  }
  const reason = code === 'ENOSPC' ? 'the disk is full' : (code ?? String(error));
  return new SvcError('local', `the output could not be written: ${reason}`, {
    hint: 'check the disk behind the output, then run the command again',
    cause: error,
  });
}

/** Files and connections that this process may have open at once; infinite where nothing limits them, as on Windows. */
export function openFileLimit(): number {
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork = false } = report;
  // Otherwise the names of remote hosts are looked up.
  report.excludeNetwork = true;
  const { userLimits } = report.getReport() as { readonly userLimits?: UserLimits };
  report.excludeNetwork = excludeNetwork;
  return Number(userLimits?.open_files.soft) || Number.POSITIVE_INFINITY;
}

/** A limit is a number or `unlimited`. */
interface UserLimits {
  readonly open_files: { readonly soft: number | string };
}
