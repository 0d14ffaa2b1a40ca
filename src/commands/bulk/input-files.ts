import { type FileChoice, openInput, type RecordInput } from '../../bulk/record-input.ts';
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
  { cwd, io, signal }: Pick<Context, 'cwd' | 'io' | 'signal'>,
  fields: BulkFields & { readonly given?: readonly string[] },
  options: InputOptions,
  spool: string,
  files: readonly FileChoice[] = chooseFiles(options),
): Promise<RecordInput> {
  limitHeapGrowth();
  const { map, sheet, separator, headerRow } = options;
  const input = await openInput({
    ...fields,
    files,
    ...optionalProperty('map', map && new FieldMap(new Map(map))),
    encoding: parseEncoding(options.encoding),
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

function parseEncoding(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  const encoding = findEncoding(label);
  if (encoding !== undefined) return encoding;
  throw new SvcError('usage', `--encoding does not support '${label}'`, {
    hint: 'use a label such as windows-1252, utf-16le, macintosh, or shift_jis, or convert the file to UTF-8',
  });
}
