import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { openInputFile } from '../../../src/bulk/input-file.ts';
import { decompress } from '../../../src/bulk/source/bytes.ts';
import { decodeText } from '../../../src/bulk/source/decode.ts';
import { decodeInputText } from '../../../src/bulk/source/input-text.ts';
import { createSourceReader } from '../../../src/bulk/source/read-source.ts';
import type { SourceRecord } from '../../../src/bulk/source/source.ts';
import type { InputFormat } from '../../../src/catalog/bulk-options.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';

export interface Reading {
  readonly records: readonly SourceRecord[];
  /** The names and lines of the fields beside the list. */
  readonly beside: readonly string[];
  readonly preamble: string;
  readonly format: InputFormat;
}

const LAYOUT = {
  listName: 'users',
  knownFields: ['userId', 'name', 'email', 'initial'],
  targetFields: [],
  id: 'userId',
};

/** Reads users from stdin, in chunks of `size` bytes. */
export async function read(
  bytes: string | Uint8Array,
  format?: InputFormat,
  size = 65_536,
): Promise<Reading> {
  const source = await open(chunksOf(Buffer.from(bytes), size), format);
  const records: SourceRecord[] = [];
  for await (const block of source.recordChunks) {
    // Values are read as they are asked for.
    records.push(...block.map(({ value, text, line, column }) => ({ value, text, line, column })));
  }
  const beside = source.beside.map(({ name, line }) => `${line}: ${name}`);
  return { records, beside, preamble: source.preamble(), format: source.format };
}

async function open(chunks: readonly Buffer[], format: InputFormat | undefined) {
  const stdin = Readable.from(chunks);
  if (format) {
    const { encoding } = await decodeInputText(stdin, 'stdin', { hasEncodingFlag: true });
    // The head that tells a format is one chunk, which would hide where the others end.
    const openText = async () => ({
      encoding,
      head: chunks[0]?.toString() ?? '',
      chunks: decodeText(decompress(Readable.from(chunks), 'stdin'), {
        name: 'stdin',
        encoding,
        hasEncodingFlag: true,
      }),
      cancel: async () => undefined,
    });
    return createSourceReader(openText, { ...LAYOUT, name: 'stdin', format })();
  }
  const spool = join(await createTemporaryFolder(), 'spool');
  const input = await openInputFile({
    ...LAYOUT,
    file: '-',
    cwd: '/',
    stdin: { stream: stdin },
    spool,
    signal: new AbortController().signal,
  });
  return input.open();
}

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  const count = Math.max(1, Math.ceil(bytes.length / size));
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
}

/** The error of an input that is refused. */
export async function refusal(
  input: string | Uint8Array,
  format?: InputFormat,
  size?: number,
): Promise<SvcError> {
  const outcome = await read(input, format, size).catch((error: unknown) => error);
  if (outcome instanceof SvcError) return outcome;
  throw new Error(`expected a refusal, got ${JSON.stringify(outcome)}`);
}

/** Texts that have hurt importers before. */
const hostileText = fc.oneof(
  fc.constantFrom(
    '0123',
    '12345678901234567890',
    'no',
    '1e5',
    'null',
    '~',
    '__proto__',
    'constructor',
    '10',
    ' x ',
    '#',
  ),
  fc.constantFrom(
    'a,b',
    'say "hi"',
    "it's",
    'two\nlines',
    'cr\rlf\r\nend',
    '- item',
    'key: value',
    '\\',
    '\u2028',
    '🌻é',
  ),
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0')),
);

export interface User {
  readonly userId: string;
  readonly name?: string;
  readonly email?: string;
}

const user: fc.Arbitrary<User> = fc
  .record(
    { userId: hostileText, name: hostileText, email: hostileText },
    { requiredKeys: ['userId'] },
  )
  .map((fields) => ({ ...fields }));

export const users = fc.array(user, { maxLength: 12 });
export const chunkSize = fc.constantFrom(1, 2, 3, 7, 64, 65_536);
