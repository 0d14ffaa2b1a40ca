import { createHash, type Hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { SvcError } from '../kernel/errors.ts';
import { findNamedFile } from '../kernel/named-file.ts';
import type { Diagnostic } from './diagnostic.ts';
import { type InputBytes, RegularFileBytes, SpooledBytes } from './input-bytes.ts';
import { openFileStream } from './source/bytes.ts';
import { detectFormat, formatFromName } from './source/detect-format.ts';
import { decodeInputText, type InputText, type InputTextRequest, inputName } from './source/input-text.ts';
import { createMemorySource } from './source/memory-source.ts';
import { readSource } from './source/read-source.ts';
import type { RecordLayout } from './source/record-layout.ts';
import type { InputFormat, Source } from './source/source.ts';
import { hasSpreadsheetName, spreadsheetError } from './source/spreadsheet.ts';

export interface FileFingerprint {
  /** Size of the file, compressed or not. */
  readonly bytes: number;
  readonly sha256: string;
}

/** A file, pipe, or list of values in memory whose records can be read more than once. */
export interface InputFile {
  /** The name in messages: the path as given, or `stdin`. */
  readonly name: string;
  readonly format: InputFormat;
  /** Absolute path of the file, or of the spool of a pipe. */
  readonly path: string | undefined;
  /** Whether the input is a pipe, stored in a spool at `path`. */
  readonly spooled: boolean;
  /** Bytes read in the first pass, and the total if known. */
  readonly readProgress: { readonly bytes: number; readonly of: number | undefined };
  /** Starts reading the records from the beginning. `warn` receives a warning for each ignored part of the file. */
  open(warn?: (warning: Diagnostic) => void): Promise<Source>;
  /** The fingerprint, available after the file was read to its end. */
  fingerprint(): FileFingerprint;
  discard(): Promise<void>;
}

export interface InputFileRequest extends InputTextRequest, RecordLayout {
  /** The name in messages (default: the path). */
  readonly name?: string;
  /** The format (default: detected from the file's extension or content). */
  readonly format?: InputFormat;
  /** Path for the spool of a pipe. The file must not exist. */
  readonly spool: string;
}

/**
 * Opens a file of records. Reads the start of the file only if its name does not determine the format.
 * @throws SvcError `usage` if the file does not exist or its format is unknown, `local` if it cannot be read, `bad_data` if it
 * is a spreadsheet
 */
export async function openInputFile(request: InputFileRequest): Promise<InputFile> {
  const { name = inputName(request.file), field } = request;
  const bytes = await openBytes(request, name);
  if (!request.format && hasSpreadsheetName(name)) throw spreadsheetError(name);
  const knownFormat = request.format ?? formatFromName(name);
  if (knownFormat) return new TextFile(request, { name, format: knownFormat, bytes });
  const firstPass = startFirstPass(bytes, name);
  const text = await firstPass.text;
  const format = detectFormat(text.head, field);
  if (!format) {
    throw new SvcError('usage', `cannot detect the format of ${name}`, {
      hint: 'add --input-format json, ndjson, csv, or yaml',
    });
  }
  if (bytes instanceof SpooledBytes) return new TextFile(request, { name, format, bytes }, firstPass);
  // Closes the file, so that a long list of inputs does not hold all of them open.
  await text.cancel();
  return new TextFile(request, { name, format, bytes });
}

export function createMemoryFile(name: string, values: readonly unknown[]): InputFile {
  const text = Buffer.from(JSON.stringify(values));
  return {
    name,
    format: 'json',
    path: undefined,
    spooled: false,
    readProgress: { bytes: text.length, of: text.length },
    open: async () => createMemorySource(name, values),
    fingerprint: () => ({ bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') }),
    discard: async () => undefined,
  };
}

async function openBytes({ file, cwd, stdin, signal, spool }: InputFileRequest, name: string): Promise<InputBytes> {
  if (file === '-') return new SpooledBytes(spool, name, async () => stdin, signal);
  const path = await findNamedFile(file, cwd);
  const stats = await stat(path);
  if (stats.isFile()) return new RegularFileBytes(path, name, stats.size, signal);
  return new SpooledBytes(spool, name, () => openFileStream(path, signal), signal);
}

interface FirstPass {
  readonly fingerprint: FingerprintStream;
  readonly text: Promise<InputText>;
}

function startFirstPass(bytes: InputBytes, name: string, format?: InputFormat): FirstPass {
  const fingerprint = new FingerprintStream();
  return { fingerprint, text: decodeInputText(fingerprint.pass(bytes.read()), name, emptyFilePolicy(format)) };
}

/** An empty NDJSON file is a valid empty list. The other formats write an empty list explicitly. */
function emptyFilePolicy(format: InputFormat | undefined): 'reject' | 'allow' {
  return format === 'ndjson' ? 'allow' : 'reject';
}

class TextFile implements InputFile {
  readonly name: string;
  readonly format: InputFormat;
  readonly #layout: RecordLayout;
  readonly #bytes: InputBytes;
  #firstPass: FirstPass | undefined;
  /** Whether the first pass has started but its text was not used yet. */
  #isFirstPassUnused: boolean;

  constructor(
    layout: RecordLayout,
    { name, format, bytes }: { readonly name: string; readonly format: InputFormat; readonly bytes: InputBytes },
    firstPass?: FirstPass,
  ) {
    this.#layout = layout;
    this.name = name;
    this.format = format;
    this.#bytes = bytes;
    this.#firstPass = firstPass;
    this.#isFirstPassUnused = firstPass !== undefined;
  }

  get path(): string {
    return this.#bytes.path;
  }

  get spooled(): boolean {
    return this.#bytes instanceof SpooledBytes;
  }

  get readProgress() {
    return { bytes: this.#firstPass?.fingerprint.bytes ?? 0, of: this.#bytes.size };
  }

  async open(warn: (warning: Diagnostic) => void = () => undefined): Promise<Source> {
    const { name, format } = this;
    const { chunks } = await this.#text();
    return readSource(chunks, { ...this.#layout, name, format, warn });
  }

  fingerprint(): FileFingerprint {
    const identity = this.#firstPass?.fingerprint.result;
    if (!identity) throw new TypeError(`${this.name} was not read to its end`);
    return identity;
  }

  discard(): Promise<void> {
    return this.#bytes.discard();
  }

  #text(): Promise<InputText> {
    if (this.#firstPass && !this.#isFirstPassUnused)
      return decodeInputText(this.#bytes.read(), this.name, emptyFilePolicy(this.format));
    this.#isFirstPassUnused = false;
    this.#firstPass ??= startFirstPass(this.#bytes, this.name, this.format);
    return this.#firstPass.text;
  }
}

class FingerprintStream {
  readonly #hash: Hash = createHash('sha256');
  bytes = 0;
  result: FileFingerprint | undefined;

  async *pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.bytes += chunk.length;
      yield chunk;
    }
    this.result = { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }
}
