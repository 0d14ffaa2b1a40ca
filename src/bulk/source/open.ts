import { createReadStream } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { SvcError } from '../../kernel/errors.ts';
import { localFileError } from '../../kernel/files.ts';
import { findNamedFile } from '../../kernel/named-file.ts';
import { decodeText } from './decode.ts';
import { withField } from './memory.ts';
import { type InputFormat, inputError, type Source } from './record.ts';
import { formatOfName, formatOfText } from './sniff.ts';

const CHUNK_BYTES = 256 * 1024;
/** Characters looked at to tell a format. */
const HEAD_CHARACTERS = 4096;

/** What an input is and what its records look like. */
export interface InputRequest {
  /** A path, or `-` for stdin. */
  readonly file: string;
  /** Decides over the file's extension and over how the text begins. */
  readonly format?: InputFormat;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream;
  /** The name of the array of records. */
  readonly field: string;
  /** The fields of a record that the service knows, and the one that is its id. */
  readonly fields: readonly string[];
  readonly idField: string;
  /** A record may come without its id. */
  readonly mints?: boolean;
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Opens an input of records.
 * @throws SvcError `usage` when there is no such file or its format is not known, `local` when it cannot be read,
 * `bad_data` when it is empty or not text.
 */
export async function openSource(request: InputRequest): Promise<Source> {
  const { name, head, chunks } = await openText(request);
  const format = request.format ?? formatOfName(name) ?? formatOfText(head, request.field);
  if (!format) {
    throw new SvcError('usage', `cannot tell the format of ${name}`, {
      hint: 'add --input-format json, ndjson, csv or yaml',
    });
  }
  return { name, format, ...(await readerFor(format, chunks, name, request)) };
}

/** An input's text: what messages call it, how it begins, and all of it. Throws as `openSource` does. */
export async function openText({
  file,
  cwd,
  stdin,
  signal,
}: Pick<InputRequest, 'file' | 'cwd' | 'stdin' | 'signal'>): Promise<{
  readonly name: string;
  readonly head: string;
  readonly chunks: AsyncIterable<string>;
}> {
  const name = file === '-' ? 'stdin' : file;
  const bytes = file === '-' ? stdin : await openFile(file, cwd);
  const { head, chunks } = await peek(decodeText(readBytes(bytes, name, signal), name));
  if (head.trim() === '') throw inputError(name, {}, 'it is empty', 'is the export complete?');
  return { name, head, chunks };
}

/** The reader of a format; the libraries of the others are not loaded. */
async function readerFor(
  format: InputFormat,
  chunks: AsyncIterable<string>,
  name: string,
  { field, fields, idField, mints = false, warn }: InputRequest,
): Promise<Omit<Source, 'name' | 'format'>> {
  const preamble = () => '';
  switch (format) {
    case 'json':
      return { blocks: (await import('./json.ts')).readJson(chunks, { name, field, warn }), preamble, withField };
    case 'ndjson':
      return { blocks: (await import('./ndjson.ts')).readNdjson(chunks, name), preamble, withField };
    case 'yaml': {
      const { readYaml, withYamlField } = await import('./yaml.ts');
      return { blocks: readYaml(chunks, name, field), preamble, withField: withYamlField };
    }
    case 'csv': {
      const reader = new (await import('./csv.ts')).CsvReader({ name, fields, idField, mints });
      return {
        blocks: reader.read(chunks),
        preamble: () => reader.header,
        withField: (record, added, value) => reader.withField(record, added, value),
      };
    }
  }
}

async function openFile(file: string, cwd: string): Promise<Readable> {
  return createReadStream(await findNamedFile(file, cwd), { highWaterMark: CHUNK_BYTES });
}

/** The bytes of a stream until it ends or the run is stopped. */
async function* readBytes(
  stream: NodeJS.ReadableStream,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    const chunks: AsyncIterable<string | Uint8Array> = addAbortSignal(signal, stream as Readable);
    for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  } catch (error) {
    signal.throwIfAborted();
    throw localFileError('read', name, error);
  }
}

/** The beginning of a text, and the whole of it again. */
async function peek(chunks: AsyncGenerator<string>): Promise<{ head: string; chunks: AsyncIterable<string> }> {
  let head = '';
  let ended = false;
  while (head.length < HEAD_CHARACTERS && !ended) {
    const { value, done } = await chunks.next();
    if (done) ended = true;
    else head += value;
  }
  async function* again(): AsyncGenerator<string> {
    if (head) yield head;
    if (!ended) yield* chunks;
  }
  return { head, chunks: again() };
}
