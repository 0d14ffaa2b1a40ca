import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { InputFormat } from '../catalog/bulk-options.ts';
import { SvcError } from '../kernel/errors.ts';
import { findNamedFile } from '../kernel/named-file.ts';
import { type FileFingerprint, type InputBytes, openFileBytes, spoolBytes } from './input-bytes.ts';
import { createSheetFile, isZipFile } from './sheet-file.ts';
import { openFileStream } from './source/bytes.ts';
import { detectFormat, formatFromName } from './source/detect-format.ts';
import { type FieldMap, withRenamedFields } from './source/field-map.ts';
import {
  decodeInputText,
  type InputText,
  type InputTextRequest,
  inputName,
  type TextOptions,
} from './source/input-text.ts';
import { createMemorySource } from './source/memory-source.ts';
import { createSourceReader } from './source/read-source.ts';
import type { RecordLayout } from './source/record-layout.ts';
import type { Source } from './source/source.ts';
import { type TextEncoding, UTF_8 } from './source/text-encoding.ts';

/** A file, pipe, or list of values in memory whose records can be read more than once. */
export interface InputFile {
  readonly name: string;
  readonly format: InputFormat;
  /** Absolute path of the file, or of the spool of a pipe. */
  readonly path: string | undefined;
  readonly spooled: boolean;
  readonly readProgress: { readonly bytes: number; readonly of: number | undefined };
  /** Starts reading the records from the beginning. */
  open(): Promise<Source>;
  /** The fingerprint, available after the file was read to its end. */
  fingerprint(): FileFingerprint;
  /** The encoding, available after the file was opened. */
  encoding(): TextEncoding;
  discard(): Promise<void>;
}

export interface InputFileRequest extends InputTextRequest, RecordLayout {
  readonly name?: string;
  /** The format (default: detected from the file's extension or content). */
  readonly format?: InputFormat;
  /** The encoding of text without a byte order mark (default: UTF-8). */
  readonly encoding?: string | undefined;
  /** Name of the sheet to read from a workbook (default: the first one). */
  readonly sheet?: string | undefined;
  /** Separator of CSV cells, row of the header, and target fields that the command sets. */
  readonly separator?: string | undefined;
  readonly headerRow?: number | undefined;
  readonly given?: readonly string[] | undefined;
  /** Path for the spool of a pipe. The file must not exist. */
  readonly spool: string;
}

/**
 * Opens a file of records. Reads the start of the file only if its name does not determine the
 * format.
 * @throws SvcError `usage` if the file does not exist or its format is unknown, `local` if it
 * cannot be read, `invalid_input` if it is a spreadsheet that svc does not read
 */
export async function openInputFile(request: InputFileRequest): Promise<InputFile> {
  const { name = inputName(request.file) } = request;
  const bytes = await openBytes(request, name);
  const knownFormat = request.format ?? formatFromName(name);
  const isSheet =
    knownFormat === 'xlsx' || (!knownFormat && !bytes.isSpooled && (await isZipFile(bytes.path)));
  if (isSheet) return createSheetFile(request, name, bytes);
  if (knownFormat) return createTextFile(request, name, knownFormat, bytes);
  const firstPass = startFirstPass(bytes, name, {
    ...textOptions(request),
    emptyHint: 'check that the export is complete; for an empty list, add --input-format ndjson',
  });
  const text = await firstPass.text;
  const format = detectFormat(text.head, request);
  if (!format) {
    throw new SvcError('usage', `cannot detect the format of ${name}`, {
      hint: 'add --input-format json, ndjson, csv, yaml, or xlsx',
    });
  }
  if (bytes.isSpooled) return createTextFile(request, name, format, bytes, firstPass);
  // Closes the file, so that a long list of inputs does not hold all of them open.
  await text.cancel();
  return createTextFile(request, name, format, bytes);
}

export function createMemoryFile(
  name: string,
  values: readonly unknown[],
  map?: FieldMap,
): InputFile {
  const text = Buffer.from(JSON.stringify(values));
  return {
    name,
    format: 'json',
    path: undefined,
    spooled: false,
    readProgress: { bytes: text.length, of: text.length },
    open: async () => {
      const source = createMemorySource(name, values);
      return map ? withRenamedFields(source, map) : source;
    },
    fingerprint: () => ({
      bytes: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
    }),
    encoding: () => UTF_8,
    discard: async () => undefined,
  };
}

async function openBytes(
  { file, cwd, stdin, signal, spool }: InputFileRequest,
  name: string,
): Promise<InputBytes> {
  if (file === '-') return spoolBytes(spool, name, async () => stdin.stream, signal);
  const path = await findNamedFile(file, cwd);
  const stats = await stat(path);
  if (stats.isFile()) return openFileBytes(path, name, stats.size, signal);
  return spoolBytes(spool, name, () => openFileStream(path, signal), signal);
}

interface FirstPass {
  readonly text: Promise<InputText>;
  readonly measured: { bytes: number; fingerprint?: FileFingerprint };
}

/** An empty NDJSON file is a valid empty list. The other formats write an empty list explicitly. */
function textOptions(
  { encoding }: Pick<InputFileRequest, 'encoding'>,
  format?: InputFormat,
): TextOptions {
  return { encoding, hasEncodingFlag: true, mayBeEmpty: format === 'ndjson' };
}

function startFirstPass(bytes: InputBytes, name: string, options: TextOptions): FirstPass {
  const hash = createHash('sha256');
  const measured: FirstPass['measured'] = { bytes: 0 };
  async function* measure(): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes.read()) {
      hash.update(chunk);
      measured.bytes += chunk.length;
      yield chunk;
    }
    measured.fingerprint = { bytes: measured.bytes, sha256: hash.digest('hex') };
  }
  return { measured, text: decodeInputText(measure(), name, options) };
}

function createTextFile(
  request: InputFileRequest,
  name: string,
  format: InputFormat,
  bytes: InputBytes,
  startedPass?: FirstPass,
): InputFile {
  const options = textOptions(request, format);
  let firstPass = startedPass;
  let unreadText = startedPass?.text;
  let encoding = UTF_8;
  async function openText(): Promise<InputText> {
    if (firstPass && !unreadText) return decodeInputText(bytes.read(), name, options);
    firstPass ??= startFirstPass(bytes, name, options);
    unreadText = undefined;
    const text = await firstPass.text;
    ({ encoding } = text);
    return text;
  }
  return {
    name,
    format,
    path: bytes.path,
    spooled: bytes.isSpooled,
    get readProgress() {
      return { bytes: firstPass?.measured.bytes ?? 0, of: bytes.size };
    },
    open: createSourceReader(openText, { ...request, name, format }),
    encoding: () => encoding,
    fingerprint() {
      const fingerprint = firstPass?.measured.fingerprint;
      if (!fingerprint) throw new TypeError(`${name} was not read to its end`);
      return fingerprint;
    },
    discard: bytes.discard,
  };
}
