import { inputError, MOST_RECORD_CHARACTERS } from './record.ts';

/** The lines of a text that comes in chunks, without their ends: LF, CRLF and CR each end one. */
export async function* readLines(chunks: AsyncIterable<string>, name: string): AsyncGenerator<readonly string[]> {
  let rest = '';
  let count = 0;
  for await (const chunk of chunks) {
    const text = rest + chunk;
    // A carriage return at the very end may be the first half of a CRLF.
    const held = text.endsWith('\r') ? text.slice(0, -1) : text;
    const lines = held.split(held.includes('\r') ? /\r\n|\n|\r/ : '\n');
    rest = (lines.pop() ?? '') + text.slice(held.length);
    count += lines.length;
    if (rest.length > MOST_RECORD_CHARACTERS) throw inputError(name, { line: count + 1 }, 'a line of more than 16 MB');
    if (lines.length > 0) yield lines;
  }
  if (rest) yield [rest.replace(/\r$/, '')];
}
