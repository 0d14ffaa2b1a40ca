import { fstatSync, readSync, statSync, writeSync } from 'node:fs';
import { SvcError, systemErrorCode } from './errors.ts';
import { once } from './once.ts';
import { redactRemembered } from './redact.ts';

/**
 * Destination for text. `write` resolves once the text has left this process, and rejects if it
 * cannot be written.
 */
export interface Sink {
  readonly isTerminal: boolean;
  readonly columns: number | undefined;
  readonly rows?: number | undefined;
  /**
   * Whether the parent process closed or discards the output. False for the user's own
   * `> /dev/null`.
   */
  readonly isDiscarded?: boolean;
  readonly stream: NodeJS.WritableStream;
  /** Breaks commands of the build system that reads the output as a log. */
  readonly breakCommands?: (text: string) => string;
  /** Writes a command of svc itself to such a log. */
  writeCommand?(text: string): Promise<void>;
  write(text: string | Uint8Array): Promise<void>;
}

/** The three streams of a command. stdout carries only the result; all messages go to stderr. */
export interface Io {
  readonly stdin: { readonly isTerminal: boolean; readonly stream: NodeJS.ReadableStream };
  readonly stdout: Sink;
  readonly stderr: Sink;
}

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
 * Redacts all known secrets. Ignores write errors, because a command's effects may already have
 * happened.
 */
function createMessageSink(target: Sink): Sink {
  return withWrite(target, (text) =>
    target.write(typeof text === 'string' ? redactRemembered(text) : text).catch(() => undefined),
  );
}

/** Replaces `write`, and inherits the other members, which may change or are slow to compute. */
export function withWrite(target: Sink, write: Sink['write']): Sink {
  return Object.assign(Object.create(target), { write });
}

/**
 * Whether a descriptor is a terminal. Loads `node:tty`, and with it the network stack, only for
 * devices that may be one.
 */
function isatty(descriptor: number): boolean {
  const mayBeTerminal = process.platform === 'win32' || deviceOf(descriptor) === 'other';
  return mayBeTerminal && process.getBuiltinModule('node:tty').isatty(descriptor);
}

/** Returns the kind of a character device; undefined for files, pipes, and closed descriptors. */
function deviceOf(descriptor: number): 'null' | 'other' | undefined {
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isCharacterDevice()) return undefined;
    return stats.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev ? 'null' : 'other';
  } catch {
    return undefined;
  }
}

/**
 * Whether a descriptor is the null device, open for reading. Node.js substitutes it for a standard
 * descriptor that was closed at startup. For `> /dev/null`, a shell opens the device for writing
 * only, so reading fails. Not detected on Windows, which has no /dev/null.
 */
function isReadableNullDevice(descriptor: number): boolean {
  try {
    return deviceOf(descriptor) === 'null' && readSync(descriptor, new Uint8Array(1)) === 0;
  } catch {
    return false;
  }
}

function createSink(descriptor: number, open: () => NodeJS.WriteStream): Sink {
  // A report asks for every line.
  const isOnTerminal = once(() => isatty(descriptor));
  let opened: NodeJS.WriteStream | undefined;
  const stream = (): NodeJS.WriteStream => {
    // The callback of each write reports errors; without a listener, the stream would crash the
    // process.
    opened ??= open().on('error', () => undefined);
    return opened;
  };
  return {
    get isTerminal() {
      return isOnTerminal();
    },
    get columns() {
      return isOnTerminal() ? stream().columns : undefined;
    },
    get rows() {
      return isOnTerminal() ? stream().rows : undefined;
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

function writeSynchronously(descriptor: number, bytes: Buffer): Buffer {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    if (systemErrorCode(error) !== 'EAGAIN') throw createOutputError(error);
  }
  return bytes.subarray(written);
}

function writeToStream(stream: NodeJS.WriteStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(createOutputError(error)) : resolve()));
  });
}

/** Error codes of a write to a pipe whose reader closed it; EOF occurs on Windows. */
const CLOSED_PIPE_CODES: ReadonlySet<string> = new Set(['EPIPE', 'EOF', 'ERR_STREAM_DESTROYED']);

function createOutputError(error: unknown): SvcError {
  const code = systemErrorCode(error);
  if (code !== undefined && CLOSED_PIPE_CODES.has(code))
    return new SvcError('stdout_closed', 'the reader of the output closed the pipe', {
      cause: error,
    });
  const reason = code === 'ENOSPC' ? 'the disk is full' : (code ?? String(error));
  return new SvcError('local', `cannot write the output: ${reason}`, {
    hint: 'check the disk that the output is written to, then try again',
    cause: error,
  });
}
