import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TextDecoder } from 'node:util';
import { type FileChoice, openInput, type RecordInput } from '../../bulk/record-input.ts';
import { decompress, readFileBytes } from '../../bulk/source/bytes.ts';
import { detectEncoding } from '../../bulk/source/decode.ts';
import { FieldMap } from '../../bulk/source/field-map.ts';
import { hasZipSignature } from '../../bulk/source/spreadsheet.ts';
import { findEncoding, UTF_8 } from '../../bulk/source/text-encoding.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import type { InputFormat } from '../../catalog/bulk-options.ts';
import { SvcError } from '../../kernel/errors.ts';
import { limitHeapGrowth } from '../../kernel/heap.ts';
import type { Context } from '../context.ts';
import { optionalProperty } from '../options.ts';
import type { BulkOptions } from './bulk-request.ts';

/** Options that determine how input files are read. */
export type InputOptions = Pick<
  BulkOptions,
  'file' | 'inputFormat' | 'encoding' | 'sheet' | 'separator' | 'headerRow' | 'map'
>;

/**
 * Opens the input files of a command.
 * @param files the files, if they are not those of the options
 * @throws SvcError like `openInput`, and `usage` for an encoding that svc does not support
 */
export async function openInputFiles(
  context: Pick<Context, 'cwd' | 'io' | 'signal'> & Partial<Pick<Context, 'note' | 'warn'>>,
  fields: BulkFields & { readonly given?: readonly string[] },
  options: InputOptions,
  spool: string,
  files: readonly FileChoice[] = chooseFiles(options),
): Promise<RecordInput> {
  limitHeapGrowth();
  const { cwd, io, signal } = context;
  const { map, sheet, separator, headerRow } = options;
  const input = await openInput({
    ...fields,
    files: await withEncodings(context, files, parseEncoding(options.encoding)),
    ...optionalProperty('map', map && new FieldMap(new Map(map))),
    sheet,
    separator,
    headerRow,
    cwd,
    stdin: io.stdin,
    signal,
    spool,
  });
  requireMatchingFile(input, options);
  return input;
}

/** @throws SvcError `usage` for a flag that applies to none of the files */
function requireMatchingFile({ files, name }: RecordInput, options: InputOptions): void {
  for (const { option, flag, formats, file } of FORMAT_FLAGS)
    if (options[option] !== undefined && !files.some(({ format }) => formats.includes(format)))
      throw new SvcError('usage', `${flag} needs ${file}, got ${name}`);
}

/** Flags that apply only to files of some formats. */
const FORMAT_FLAGS: readonly {
  readonly option: keyof InputOptions;
  readonly flag: string;
  readonly formats: readonly InputFormat[];
  readonly file: string;
}[] = [
  { option: 'sheet', flag: '--sheet', formats: ['xlsx'], file: 'an .xlsx file' },
  { option: 'separator', flag: '--separator', formats: ['csv'], file: 'a CSV file' },
  {
    option: 'headerRow',
    flag: '--header-row',
    formats: ['csv', 'xlsx'],
    file: 'a CSV or .xlsx file',
  },
  {
    option: 'encoding',
    flag: '--encoding',
    formats: ['csv', 'json', 'ndjson', 'yaml'],
    file: 'a text file',
  },
];

function chooseFiles({ file = [], inputFormat }: InputOptions): readonly FileChoice[] {
  return file.map((path) => ({ file: path, ...optionalProperty('format', inputFormat) }));
}

/**
 * Sets the encoding of files. Of several files, those in UTF-8 or UTF-16 keep it, and a note says
 * which file is read as what.
 */
async function withEncodings(
  { cwd, signal, note, warn }: Parameters<typeof openInputFiles>[0],
  files: readonly FileChoice[],
  encoding: string | undefined,
): Promise<readonly FileChoice[]> {
  if (encoding === undefined || encoding === 'utf-8') return files;
  const found = new Map<string, DetectedText>();
  for (const { file } of files) {
    const path = resolve(cwd, file);
    const stats = file === '-' ? undefined : await stat(path).catch(() => undefined);
    if (stats?.isFile()) found.set(file, await detectText(path, file, signal));
  }
  const [first] = files;
  if (files.length === 1) {
    if (first && found.get(first.file) === 'utf-8')
      await warn?.(`${first.file} is valid UTF-8, but is read as ${encoding}`);
    return files.map((choice) => ({ ...choice, encoding }));
  }
  const texts = files.filter(({ file }) => found.get(file) !== 'archive');
  const read = texts.map(({ file }) => {
    const own = found.get(file) ?? encoding;
    return `${file} as ${own === 'ascii' ? 'utf-8' : own}`;
  });
  await note?.(`reading ${read.join(', ')}`);
  return files.map((choice) => (found.get(choice.file) ? choice : { ...choice, encoding }));
}

function parseEncoding(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  const encoding = findEncoding(label);
  if (encoding !== undefined) return encoding;
  throw new SvcError('usage', `--encoding does not support '${label}'`, {
    hint: 'use a label such as windows-1252, utf-16le, macintosh, or shift_jis, or convert the file to UTF-8',
  });
}

/** The encoding of a text, or `undefined` if it is neither UTF-8 nor UTF-16. */
type DetectedText = 'ascii' | 'utf-8' | 'utf-16le' | 'utf-16be' | 'archive' | undefined;

async function detectText(path: string, name: string, signal: AbortSignal): Promise<DetectedText> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  let isAscii = true;
  try {
    for await (const chunk of decompress(readFileBytes(path, name, signal), name)) {
      if (isFirst && hasZipSignature(chunk)) return 'archive';
      const { name: encoding } = isFirst ? detectEncoding(chunk) : UTF_8;
      if (encoding === 'utf-16le' || encoding === 'utf-16be') return encoding;
      if (chunk.includes(0)) return undefined;
      isFirst = false;
      isAscii &&= chunk.every((byte) => byte < 0x80);
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  return isAscii ? 'ascii' : 'utf-8';
}
