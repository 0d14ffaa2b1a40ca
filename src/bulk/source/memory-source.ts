import type { RecordChunk, Source, SourceRecord } from './source.ts';

/** Creates a source from values in memory. A record's line is its position in the list. */
export function createMemorySource(name: string, values: readonly unknown[]): Source {
  const records = values.map((value, at) => ({
    value,
    text: JSON.stringify(value),
    line: at + 1,
    column: 1,
  }));
  return {
    name,
    format: 'json',
    isVerbatim: true,
    beside: [],
    recordChunks: asOneChunk(records),
    preamble: () => '',
    withField,
  };
}

export function withField({ value }: SourceRecord, field: string, text: string): string {
  return JSON.stringify({ ...Object(value), [field]: text });
}

async function* asOneChunk(chunk: RecordChunk): AsyncGenerator<RecordChunk> {
  yield chunk;
}
