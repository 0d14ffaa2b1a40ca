import { createHash, type Hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { SvcError } from '../kernel/errors.ts';
import { findNamedFile } from '../kernel/named-file.ts';
import type { Remark } from './finding.ts';
import { NamedFileBytes } from './named-file-bytes.ts';
import { fileStream } from './source/bytes.ts';
import { memorySource } from './source/memory.ts';
import { type Layout, readSource } from './source/open.ts';
import type { InputFormat, Source } from './source/record.ts';
import { formatOfName, formatOfText } from './source/sniff.ts';
import { nameOf, readText, type Text, type TextRequest } from './source/text.ts';
import { Spool } from './spool.ts';

/** Tells one file from another. */
export interface Identity {
  /** As they stand in the file: compressed where it is. */
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** Records that can be read again: of a file, of what came through a pipe, or of values in memory. */
export interface InputFile {
  /** As messages call it: the path as it was given, or `stdin`. */
  readonly name: string;
  readonly format: InputFormat;
  /** Absolute; of the spool for what came through a pipe. */
  readonly path: string | undefined;
  /** It came through a pipe and is kept in a spool, at `path`. */
  readonly spooled: boolean;
  /** How far the first reading is. The whole is not known of what comes through a pipe. */
  readonly reading: { readonly bytes: number; readonly of: number | undefined };
  /** The records from the first on. `warn` hears what is left out. */
  open(warn?: (warning: Remark) => void): Promise<Source>;
  /** Known once it was read to its end. */
  identity(): Identity;
  /** Removes the spool, where there is one. */
  discard(): Promise<void>;
}

/** What a file is and what its records look like. */
export interface FileRequest extends TextRequest, Layout {
  /** What messages call it, where that is not the path. */
  readonly name?: string;
  /** Decides over the file's extension and over how the text begins. */
  readonly format?: InputFormat;
  /** Where to keep what comes through a pipe: the path of a file that does not exist yet. */
  readonly spool: string;
}

/** The bytes behind a file. */
interface Bytes {
  readonly path: string;
  /** Undefined where nobody knows. */
  readonly size: number | undefined;
  read(): AsyncIterable<Uint8Array>;
  discard(): Promise<void>;
}

/**
 * Looks for a file of records, and into it where its name does not tell the format.
 * @throws SvcError `usage` when there is no such file or its format is not known, `local` when it cannot be read
 */
export async function openInputFile(request: FileRequest): Promise<InputFile> {
  const { name = nameOf(request.file), field } = request;
  const bytes = await bytesOf(request, name);
  const told = request.format ?? formatOfName(name);
  if (told) return new TextFile(request, { name, format: told, bytes });
  const begun = beginReading(bytes, name);
  const text = await begun.text;
  const format = formatOfText(text.head, field);
  if (!format) {
    throw new SvcError('usage', `cannot tell the format of ${name}`, {
      hint: 'add --input-format json, ndjson, csv or yaml',
    });
  }
  if (bytes instanceof Spool) return new TextFile(request, { name, format, bytes }, begun);
  // Many files may wait for their turn, and none of them is to be held open until then.
  await text.end();
  return new TextFile(request, { name, format, bytes });
}

/** Values that are in memory already. */
export function memoryFile(name: string, values: readonly unknown[]): InputFile {
  const text = Buffer.from(JSON.stringify(values));
  return {
    name,
    format: 'json',
    path: undefined,
    spooled: false,
    reading: { bytes: text.length, of: text.length },
    open: async () => memorySource(name, values),
    identity: () => ({ bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') }),
    discard: async () => undefined,
  };
}

async function bytesOf({ file, cwd, stdin, signal, spool }: FileRequest, name: string): Promise<Bytes> {
  if (file === '-') return new Spool(spool, name, async () => stdin, signal);
  const path = await findNamedFile(file, cwd);
  const found = await stat(path);
  if (found.isFile()) return new NamedFileBytes(path, name, found.size, signal);
  return new Spool(spool, name, () => fileStream(path, signal), signal);
}

/** A first reading that was begun. */
interface Begun {
  readonly fingerprint: Fingerprint;
  readonly text: Promise<Text>;
}

function beginReading(bytes: Bytes, name: string, format?: InputFormat): Begun {
  const fingerprint = new Fingerprint();
  return { fingerprint, text: readText(fingerprint.of(bytes.read()), name, emptiness(format)) };
}

/** NDJSON without a line is a list without records, as `[]` is; other formats say in their text that there are none. */
function emptiness(format: InputFormat | undefined): 'refused' | 'allowed' {
  return format === 'ndjson' ? 'allowed' : 'refused';
}

class TextFile implements InputFile {
  readonly name: string;
  readonly format: InputFormat;
  readonly #layout: Layout;
  readonly #bytes: Bytes;
  #begun: Begun | undefined;
  /** Nobody has asked for the text that was begun. */
  #isWaiting: boolean;

  constructor(
    layout: Layout,
    { name, format, bytes }: { readonly name: string; readonly format: InputFormat; readonly bytes: Bytes },
    begun?: Begun,
  ) {
    this.#layout = layout;
    this.name = name;
    this.format = format;
    this.#bytes = bytes;
    this.#begun = begun;
    this.#isWaiting = begun !== undefined;
  }

  get path(): string {
    return this.#bytes.path;
  }

  get spooled(): boolean {
    return this.#bytes instanceof Spool;
  }

  get reading() {
    return { bytes: this.#begun?.fingerprint.bytes ?? 0, of: this.#bytes.size };
  }

  async open(warn: (warning: Remark) => void = () => undefined): Promise<Source> {
    const { name, format } = this;
    const { chunks } = await this.#text();
    return readSource(chunks, { ...this.#layout, name, format, warn });
  }

  identity(): Identity {
    const identity = this.#begun?.fingerprint.identity;
    if (!identity) throw new TypeError(`${this.name} was not read to its end`);
    return identity;
  }

  discard(): Promise<void> {
    return this.#bytes.discard();
  }

  #text(): Promise<Text> {
    if (this.#begun && !this.#isWaiting) return readText(this.#bytes.read(), this.name, emptiness(this.format));
    this.#isWaiting = false;
    this.#begun ??= beginReading(this.#bytes, this.name, this.format);
    return this.#begun.text;
  }
}

/** Size and hash of bytes that pass by. */
class Fingerprint {
  readonly #hash: Hash = createHash('sha256');
  bytes = 0;
  /** Known at the end. */
  identity: Identity | undefined;

  async *of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.bytes += chunk.length;
      yield chunk;
    }
    this.identity = { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }
}
