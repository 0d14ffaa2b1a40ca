import { InputError, MOST_RECORD_CHARACTERS } from './record.ts';

/** Consecutive whole lines of a text: where each begins and ends, its line break left out. */
export interface Lines {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The number of the first, from 1. */
  readonly line: number;
}

/** The lines of a text that comes in chunks: LF, CRLF and CR each end one. */
export async function* readLines(chunks: AsyncIterable<string>, name: string): AsyncGenerator<Lines> {
  let rest = '';
  let line = 1;
  for await (const chunk of chunks) {
    // Most chunks of a long line are only looked at for a line break, so that it costs no more than its length.
    if (!(rest.endsWith('\r') || /[\r\n]/.test(chunk))) {
      rest += chunk;
      if (rest.length > MOST_RECORD_CHARACTERS) throw new InputError(name, { line }, 'a line of more than 16 MB');
      continue;
    }
    const text = rest + chunk;
    // A carriage return at the very end may be the first half of a CRLF.
    const held = text.endsWith('\r') ? text.length - 1 : text.length;
    const { starts, ends, next } = cut(text, held);
    rest = text.slice(next);
    if (starts.length > 0) yield { text, starts, ends, line };
    line += starts.length;
  }
  if (rest) yield { text: rest, starts: [0], ends: [rest.endsWith('\r') ? rest.length - 1 : rest.length], line };
}

/** The lines that end before `to`, and where the next one begins. */
function cut(text: string, to: number) {
  const [starts, ends]: [number[], number[]] = [[], []];
  let next = 0;
  const returns = text.lastIndexOf('\r', to - 1) !== -1;
  for (let end = lineEnd(text, next, returns); end !== -1 && end < to; end = lineEnd(text, next, returns)) {
    starts.push(next);
    ends.push(end);
    next = text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
  return { starts, ends, next };
}

function lineEnd(text: string, from: number, returns: boolean): number {
  const feed = text.indexOf('\n', from);
  if (!returns) return feed;
  const found = text.slice(from, feed === -1 ? undefined : feed).indexOf('\r');
  return found === -1 ? feed : from + found;
}
