import { SvcError, systemErrorCode } from './errors.ts';

/** Where text goes. `write` resolves once the text has left this process, and rejects when it cannot be written. */
export interface Sink {
  readonly isTerminal: boolean;
  /** Width in columns; undefined when the sink is no terminal. */
  readonly columns: number | undefined;
  write(text: string | Uint8Array): Promise<void>;
}

/** The three streams of a command. stdout carries the result and nothing else; all talk goes to stderr. */
export interface Io {
  readonly stdin: { readonly isTerminal: boolean; readonly stream: NodeJS.ReadableStream };
  readonly stdout: Sink;
  readonly stderr: Sink;
}

export function processIo(): Io {
  return {
    stdin: {
      isTerminal: process.stdin.isTTY === true,
      get stream() {
        return process.stdin;
      },
    },
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
  };
}

function sink(stream: NodeJS.WriteStream): Sink {
  stream.on('error', () => {
    // The callback of each write reports the failure; without a listener the stream would end the process itself.
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(outputError(error)) : resolve()));
      }),
  };
}

function outputError(error: Error): SvcError {
  const code = systemErrorCode(error);
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') {
    return new SvcError('reader_gone', 'the reader of the output left', { cause: error });
  }
  return new SvcError('local', `the output could not be written: ${code ?? error.message}`, {
    hint: 'check the disk behind the output, then run the command again',
    cause: error,
  });
}
