import { join } from 'node:path';
import { Readable } from 'node:stream';
import { openInputFile } from '../../src/bulk/input-file.ts';
import type { InputFormat } from '../../src/catalog/bulk-options.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** Reads the records of an input of any fields. @throws SvcError for an input that is refused */
export function readValues(bytes: string | Uint8Array, format: InputFormat) {
  return read({ file: '-', stdin: { stream: Readable.from([Buffer.from(bytes)]) }, format });
}

export function readFileValues(file: string) {
  return read({ file, stdin: { stream: Readable.from([]) } });
}

async function read(request: {
  readonly file: string;
  readonly stdin: { readonly stream: NodeJS.ReadableStream };
  readonly format?: InputFormat;
}): Promise<readonly unknown[]> {
  const input = await openInputFile({
    ...request,
    cwd: '/',
    spool: join(await createTemporaryFolder(), 'spool'),
    signal: new AbortController().signal,
    listName: 'records',
    knownFields: [],
    targetFields: [],
    id: 'id',
    generatesIds: true,
  });
  const source = await input.open();
  const values: unknown[] = [];
  for await (const chunk of source.recordChunks) values.push(...chunk.map(({ value }) => value));
  return values;
}
