import { StringDecoder } from 'node:string_decoder';
import { interruptedError } from './run-prompt.ts';

/** A stream of a terminal that can turn off echo and line editing. */
export interface RawStream extends NodeJS.ReadableStream {
  setRawMode?(mode: boolean): unknown;
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ERASE = ['\u0008', '\u007f'];
const ERASE_LINE = '\u0015';

/** Reads lines from a terminal that echoes and edits the input. Keeps text that was typed ahead for the next prompt. */
export function createPlainInput(stream: RawStream, signal: AbortSignal) {
  const decoder = new StringDecoder('utf8');
  let typed = '';

  function readMore(): Promise<void> {
    return new Promise((resolve, reject) => {
      const receive = (chunk: Buffer | string) => {
        typed += typeof chunk === 'string' ? chunk : decoder.write(chunk);
        settle(resolve);
      };
      const end = () => settle(() => reject(interruptedError()));
      const abort = () => settle(() => reject(signal.reason));
      const settle = (then: () => void) => {
        stream.off('data', receive).off('end', end).off('error', end).pause();
        signal.removeEventListener('abort', abort);
        then();
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      stream.on('data', receive).on('end', end).on('error', end).resume();
    });
  }

  async function line(): Promise<string> {
    for (;;) {
      const end = /\r\n|\n|\r/.exec(typed);
      if (end) {
        const text = typed.slice(0, end.index);
        typed = typed.slice(end.index + end[0].length);
        return text;
      }
      await readMore();
    }
  }

  /** Reads a line without echo. */
  async function secret(): Promise<string> {
    stream.setRawMode?.(true);
    try {
      const keys: string[] = [];
      for (;;) {
        for (const key of typed) {
          typed = typed.slice(key.length);
          if (key === '\r' || key === '\n') return keys.join('');
          applyKey(keys, key);
        }
        await readMore();
      }
    } finally {
      stream.setRawMode?.(false);
    }
  }

  return { line, secret };
}

function applyKey(keys: string[], key: string): void {
  if (key === CTRL_C || (key === CTRL_D && keys.length === 0)) throw interruptedError();
  if (ERASE.includes(key)) keys.pop();
  else if (key === ERASE_LINE) keys.length = 0;
  else if (key >= ' ') keys.push(key);
}
