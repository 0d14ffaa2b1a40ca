import type { Block, Source, SourceRecord } from './record.ts';

/** Records that are in memory already. Their place in the list stands for the line. */
export function memorySource(name: string, values: readonly unknown[]): Source {
  const records = values.map((value, at) => ({ value, text: JSON.stringify(value), line: at + 1, column: 1 }));
  return { name, format: 'json', isVerbatim: true, blocks: inOneBlock(records), preamble: () => '', withField };
}

/** The JSON text of a record with one more field. */
export function withField({ value }: SourceRecord, field: string, text: string): string {
  return JSON.stringify({ ...Object(value), [field]: text });
}

async function* inOneBlock(block: Block): AsyncGenerator<Block> {
  yield block;
}
