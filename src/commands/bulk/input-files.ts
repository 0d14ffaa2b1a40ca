import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TextDecoder } from 'node:util';
import { type FileChoice, openInput, type RecordInput } from '../../bulk/record-input.ts';
import { decompress, readFileBytes } from '../../bulk/source/bytes.ts';
import { FieldMap } from '../../bulk/source/field-map.ts';
import { findEncoding } from '../../bulk/source/text-encoding.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
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
    stdin: io.stdin.stream,
    signal,
    spool,
  });
  if (sheet !== undefined && input.files.every(({ format }) => format !== 'xlsx'))
    throw new SvcError('usage', `--sheet needs an .xlsx file, got ${input.name}`);
  return input;
}

function chooseFiles({ file = [], inputFormat }: InputOptions): readonly FileChoice[] {
  return file.map((path) => ({ file: path, ...optionalProperty('format', inputFormat) }));
}

/**
 * Sets the encoding of files. Of several files, those that are UTF-8 keep it, and a note says which
 * file is read as what.
 */
async function withEncodings(
  { cwd, signal, note, warn }: Parameters<typeof openInputFiles>[0],
  files: readonly FileChoice[],
  encoding: string | undefined,
): Promise<readonly FileChoice[]> {
  if (encoding === undefined || encoding === 'utf-8') return files;
  const found = new Map<string, 'utf-8' | 'ascii' | 'other'>();
  for (const { file } of files) {
    const path = resolve(cwd, file);
    const stats = file === '-' ? undefined : await stat(path).catch(() => undefined);
    if (stats?.isFile()) found.set(file, await detectUtf8(path, file, signal));
  }
  const [first] = files;
  if (files.length === 1) {
    if (first && found.get(first.file) === 'utf-8')
      await warn?.(`${first.file} is valid UTF-8, but is read as ${encoding}`);
    return files.map((choice) => ({ ...choice, encoding }));
  }
  const isUtf8 = ({ file }: FileChoice) => (found.get(file) ?? 'other') !== 'other';
  const read = files.map((choice) => `${choice.file} as ${isUtf8(choice) ? 'utf-8' : encoding}`);
  await note?.(`reading ${read.join(', ')}`);
  return files.map((choice) => (isUtf8(choice) ? choice : { ...choice, encoding }));
}

function parseEncoding(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  const encoding = findEncoding(label);
  if (encoding !== undefined) return encoding;
  throw new SvcError('usage', `--encoding does not support '${label}'`, {
    hint: 'use a label such as windows-1252, utf-16le, macintosh, or shift_jis, or convert the file to UTF-8',
  });
}

/** Whether a file is UTF-8 that contains more than ASCII characters, only ASCII, or something else. */
async function detectUtf8(
  path: string,
  name: string,
  signal: AbortSignal,
): Promise<'utf-8' | 'ascii' | 'other'> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isAscii = true;
  try {
    for await (const chunk of decompress(readFileBytes(path, name, signal), name)) {
      isAscii &&= chunk.every((byte) => byte < 0x80);
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) return 'other';
    throw error;
  }
  return isAscii ? 'ascii' : 'utf-8';
}
