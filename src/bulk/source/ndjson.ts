import { SvcError } from '../../kernel/errors.ts';
import { parseJson } from './json-text.ts';
import { readLines } from './lines.ts';
import type { Block, SourceRecord } from './record.ts';

/** The records of an input with one JSON text a line. Blank lines are passed over. */
export async function* readNdjson(chunks: AsyncIterable<string>, name: string): AsyncGenerator<Block> {
  let line = 0;
  for await (const lines of readLines(chunks, name)) {
    const block: SourceRecord[] = [];
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') block.push({ value: parseLine(text, name, line), text, line, column: 1 });
    }
    if (block.length > 0) yield block;
  }
}

function parseLine(text: string, name: string, line: number): unknown {
  try {
    return parseJson(text, name, { line, column: 1 });
  } catch (error) {
    if (!(error instanceof SvcError) || error.hint) throw error;
    const hint = 'each line is one JSON object; for JSON over several lines use --input-format json';
    throw new SvcError(error.failure, error.message, { hint, cause: error });
  }
}
