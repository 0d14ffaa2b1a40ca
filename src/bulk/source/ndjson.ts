import { JsonRecord } from './json-record.ts';
import { InputError, MAX_RECORD_CHARACTERS, type RecordChunk } from './source.ts';
import { TextSegment } from './text-segment.ts';

export async function* readNdjson(
  chunks: AsyncIterable<string>,
  name: string,
): AsyncGenerator<RecordChunk> {
  for await (const { text, starts, ends, line } of readLines(chunks, name)) {
    const records: LineRecord[] = [];
    const segment = TextSegment.ofJson(name, text);
    // An indexed loop: an iterator of entries would take 2% of the total reading time.
    for (let at = 0; at < starts.length; at += 1) {
      const from = starts[at] ?? 0;
      const to = ends[at] ?? from;
      if (!isBlank(text, from, to))
        records.push(new LineRecord(segment, { from, to }, { line: line + at, column: 1 }));
    }
    if (records.length > 0) yield records;
  }
}

function isBlank(text: string, from: number, to: number): boolean {
  return text.charCodeAt(from) <= 0x20 ? text.slice(from, to).trim() === '' : from === to;
}

class LineRecord extends JsonRecord {
  override get value(): unknown {
    try {
      return super.value;
    } catch (error) {
      if (!(error instanceof InputError) || error.hint) throw error;
      const hint = 'each line must be one JSON object';
      throw error.with({ hint });
    }
  }
}

/** Consecutive complete lines: the offsets of each line's start and end, without line breaks. */
interface LineGroup {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly line: number;
}

async function* readLines(chunks: AsyncIterable<string>, name: string): AsyncGenerator<LineGroup> {
  let rest = '';
  let endsWithReturn = false;
  let line = 1;
  for await (const chunk of chunks) {
    // Only the new chunk is searched for a line break, so that long lines take linear time.
    if (!(endsWithReturn || /[\r\n]/.test(chunk))) {
      rest += chunk;
      if (rest.length > MAX_RECORD_CHARACTERS)
        throw new InputError(name, { line }, 'the line is longer than 16 MB');
      continue;
    }
    if (rest === '' && chunk.trim() === '' && !chunk.includes('\r')) {
      for (let at = 0; at < chunk.length; at += 1) if (chunk.charCodeAt(at) === 0x0a) line += 1;
      continue;
    }
    const text = rest + chunk;
    // A carriage return at the end of the chunk may be the first half of a CRLF.
    const searchEnd = text.endsWith('\r') ? text.length - 1 : text.length;
    const { starts, ends, next } = findLines(text, searchEnd);
    rest = text.slice(next);
    endsWithReturn = rest.endsWith('\r');
    if (starts.length > 0) yield { text, starts, ends, line };
    line += starts.length;
  }
  if (rest)
    yield {
      text: rest,
      starts: [0],
      ends: [rest.endsWith('\r') ? rest.length - 1 : rest.length],
      line,
    };
}

function findLines(text: string, to: number) {
  const [starts, ends]: [number[], number[]] = [[], []];
  let next = 0;
  const hasReturns = text.lastIndexOf('\r', to - 1) !== -1;
  for (
    let end = lineEnd(text, next, hasReturns);
    end !== -1 && end < to;
    end = lineEnd(text, next, hasReturns)
  ) {
    starts.push(next);
    ends.push(end);
    next = hasReturns && text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
  return { starts, ends, next };
}

function lineEnd(text: string, from: number, hasReturns: boolean): number {
  const feed = text.indexOf('\n', from);
  if (!hasReturns) return feed;
  const found = text.slice(from, feed === -1 ? undefined : feed).indexOf('\r');
  return found === -1 ? feed : from + found;
}
