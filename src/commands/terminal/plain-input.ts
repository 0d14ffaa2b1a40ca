import { StringDecoder } from 'node:string_decoder';
import { interrupted } from './interrupted.ts';

/** Lines of a terminal that shows and edits them itself. What is typed ahead is kept for the next question. */
export interface PlainInput {
  line(): Promise<string>;
  /** A line that the terminal does not show. */
  secret(): Promise<string>;
}

/** A stream whose terminal can be told to show nothing, and to hand over each key. */
interface RawStream extends NodeJS.ReadableStream {
  setRawMode?(mode: boolean): unknown;
}

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const ERASE = ['\u0008', '\u007f'];
const ERASE_LINE = '\u0015';

export function createPlainInput(stream: RawStream, signal: AbortSignal): PlainInput {
  const decoder = new StringDecoder('utf8');
  let typed = '';

  /** More of what is typed. */
  function more(): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = (chunk: Buffer | string) => {
        typed += typeof chunk === 'string' ? chunk : decoder.write(chunk);
        settle(resolve);
      };
      const end = () => settle(() => reject(interrupted()));
      const abort = () => settle(() => reject(signal.reason));
      const settle = (then: () => void) => {
        stream.off('data', take).off('end', end).off('error', end).pause();
        signal.removeEventListener('abort', abort);
        then();
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener('abort', abort, { once: true });
      stream.on('data', take).on('end', end).on('error', end).resume();
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
      await more();
    }
  }

  async function secret(): Promise<string> {
    stream.setRawMode?.(true);
    try {
      const keys: string[] = [];
      for (;;) {
        for (const key of typed) {
          typed = typed.slice(key.length);
          if (key === '\r' || key === '\n') return keys.join('');
          press(keys, key);
        }
        await more();
      }
    } finally {
      stream.setRawMode?.(false);
    }
  }

  return { line, secret };
}

/** What a key does to a line, as far as people are used to it. */
function press(keys: string[], key: string): void {
  if (key === CTRL_C || (key === CTRL_D && keys.length === 0)) throw interrupted();
  if (ERASE.includes(key)) keys.pop();
  else if (key === ERASE_LINE) keys.length = 0;
  else if (key >= ' ') keys.push(key);
}
