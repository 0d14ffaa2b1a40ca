import { createHash, type Hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { SvcError } from '../kernel/errors.ts';
import { findNamedFile } from '../kernel/named-file.ts';
import type { Finding } from './finding.ts';
import { NamedFileBytes } from './named-file-bytes.ts';
import { fileStream } from './source/bytes.ts';
import { memorySource } from './source/memory.ts';
import { type Layout, readSource } from './source/open.ts';
import type { InputFormat, Source } from './source/record.ts';
import { formatOfName, formatOfText } from './source/sniff.ts';
import { nameOf, readText, type Text, type TextRequest } from './source/text.ts';
import { Spool } from './spool.ts';

/** Tells one input from another. */
export interface Identity {
  /** As they stand in the file: compressed where it is. */
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** An input of records that can be read again: a file, what came through a pipe, or values in memory. */
export interface RecordInput {
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
  open(warn?: (warning: Finding) => void): Promise<Source>;
  /** Known once it was read to its end. */
  identity(): Identity;
  /** Removes the spool, where there is one. */
  discard(): Promise<void>;
}

/** What an input is and what its records look like. */
export interface InputRequest extends TextRequest, Layout {
  /** Decides over the file's extension and over how the text begins. */
  readonly format?: InputFormat;
  /** Where to keep what comes through a pipe: the path of a file that does not exist yet. */
  readonly spool: string;
}

/** The bytes behind an input. */
interface Bytes {
  readonly path: string;
  /** Once the reading has begun; undefined where nobody knows. */
  readonly size: number | undefined;
  read(): AsyncIterable<Uint8Array>;
  discard(): Promise<void>;
}

/**
 * Opens an input of records.
 * @throws SvcError `usage` when there is no such file or its format is not known, `local` when it cannot be read,
 * `bad_data` when it is empty or not text.
 */
export async function openInput(request: InputRequest): Promise<RecordInput> {
  const name = nameOf(request.file);
  const bytes = await bytesOf(request, name);
  const fingerprint = new Fingerprint();
  const text = await readText(fingerprint.of(bytes.read()), name);
  const format = request.format ?? formatOfName(name) ?? formatOfText(text.head, request.field);
  if (!format) {
    throw new SvcError('usage', `cannot tell the format of ${name}`, {
      hint: 'add --input-format json, ndjson, csv or yaml',
    });
  }
  if (request.map && format !== 'csv') {
    await bytes.discard();
    throw new SvcError('usage', `--map is for columns of CSV, and ${name} is ${format.toUpperCase()}`);
  }
  return new TextInput(request, { name, format, bytes, fingerprint, text });
}

/** Values that are in memory already. */
export function memoryInput(name: string, values: readonly unknown[]): RecordInput {
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

async function bytesOf({ file, cwd, stdin, signal, spool }: InputRequest, name: string): Promise<Bytes> {
  if (file === '-') return new Spool(spool, name, stdin, signal);
  const path = await findNamedFile(file, cwd);
  const regular = (await stat(path)).isFile();
  return regular ? new NamedFileBytes(path, name, signal) : new Spool(spool, name, fileStream(path), signal);
}

class TextInput implements RecordInput {
  readonly name: string;
  readonly format: InputFormat;
  readonly spooled: boolean;
  readonly #layout: Layout;
  readonly #bytes: Bytes;
  readonly #fingerprint: Fingerprint;
  /** The text of the first reading, which has begun. */
  #begun: Text | undefined;

  constructor(
    layout: Layout,
    opened: {
      readonly name: string;
      readonly format: InputFormat;
      readonly bytes: Bytes;
      readonly fingerprint: Fingerprint;
      readonly text: Text;
    },
  ) {
    this.#layout = layout;
    this.name = opened.name;
    this.format = opened.format;
    this.spooled = opened.bytes instanceof Spool;
    this.#bytes = opened.bytes;
    this.#fingerprint = opened.fingerprint;
    this.#begun = opened.text;
  }

  get path(): string {
    return this.#bytes.path;
  }

  get reading() {
    return { bytes: this.#fingerprint.bytes, of: this.#bytes.size };
  }

  async open(warn: (warning: Finding) => void = () => undefined): Promise<Source> {
    const { name, format } = this;
    const { chunks } = this.#begun ?? (await readText(this.#bytes.read(), name));
    this.#begun = undefined;
    return readSource(chunks, { ...this.#layout, name, format, warn });
  }

  identity(): Identity {
    return this.#fingerprint.identity();
  }

  discard(): Promise<void> {
    return this.#bytes.discard();
  }
}

/** Size and hash of bytes that pass by. */
class Fingerprint {
  readonly #hash: Hash = createHash('sha256');
  bytes = 0;
  #identity: Identity | undefined;

  async *of(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.bytes += chunk.length;
      yield chunk;
    }
    this.#identity = { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }

  identity(): Identity {
    if (!this.#identity) throw new TypeError('the input was not read to its end');
    return this.#identity;
  }
}
