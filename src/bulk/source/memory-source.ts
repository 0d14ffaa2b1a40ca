import { createPause } from '../../kernel/run-in-slices.ts';
import type { RecordChunk, Source, SourceRecord } from './source.ts';

const CHUNK_RECORDS = 1_000;

/** Creates a source from values in memory. A record's line is its position in the list. */
export function createMemorySource(name: string, values: readonly unknown[]): Source {
  return {
    name,
    format: 'json',
    isVerbatim: true,
    beside: [],
    recordChunks: readChunks(values),
    preamble: () => '',
    withField,
  };
}

export function withField({ value }: SourceRecord, field: string, text: string): string {
  return JSON.stringify({ ...Object(value), [field]: text });
}

/** Pauses between chunks, so that the reader notices signals. */
async function* readChunks(values: readonly unknown[]): AsyncGenerator<RecordChunk> {
  const pause = createPause();
  for (let start = 0; start < values.length; start += CHUNK_RECORDS) {
    yield values.slice(start, start + CHUNK_RECORDS).map((value, at) => ({
      value,
      text: JSON.stringify(value),
      line: start + at + 1,
      column: 1,
    }));
    await pause();
  }
}
