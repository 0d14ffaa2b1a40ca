import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SvcError } from '../kernel/errors.ts';
import { isExistingFileError, type OutputFile, openOutputFile } from '../kernel/output-file.ts';
import type { RecordResult } from './batches.ts';
import type { WrittenRejects } from './journal/outcomes.ts';
import type { LocateRecord } from './record-position.ts';
import type { InputFormat, Source } from './source/source.ts';
import {
  createTextEncoder,
  needsEncodingFlag,
  type TextEncoding,
  UTF_8,
} from './source/text-encoding.ts';

function framingOf({ format, preamble, encoding }: RejectsFormat) {
  const mark = encoding.hasMark ? '\ufeff' : '';
  if (format === 'json') return { before: `${mark}[\n`, between: ',\n', after: '\n]\n' };
  const before = mark + (format === 'csv' ? `${preamble()}\n` : '');
  return { before, between: '\n', after: '\n' };
}

export interface RejectsFormat extends Pick<Source, 'format' | 'preamble'> {
  readonly name: string;
  readonly encoding: TextEncoding;
  /** Whether records are converted to NDJSON instead of keeping their source text. */
  readonly isConverted: boolean;
}

export interface RejectsRequest {
  readonly format: RejectsFormat;
  readonly locate: LocateRecord;
  /** Output path (default: a new file in `folder`, named after the input). */
  readonly path?: string;
  readonly folder: string;
  /** The file of an earlier run of the job, which this run replaces. */
  readonly earlier?: WrittenRejects;
  readonly signal?: AbortSignal;
}

export function chooseRejectsFormat(
  files: readonly {
    readonly name: string;
    readonly format: InputFormat;
    readonly preamble: string;
    readonly encoding: TextEncoding;
  }[],
  fallbackName: string,
): RejectsFormat {
  const [first, ...others] = files;
  if (!first) throw new TypeError('at least one input file is required');
  const name = others.length === 0 ? first.name : fallbackName;
  const { format, preamble, encoding } = first;
  const isUniform = others.every(
    (other) =>
      other.format === format &&
      other.preamble === preamble &&
      other.encoding.name === encoding.name,
  );
  if (!isUniform)
    return { name, format: 'ndjson', preamble: () => '', encoding: UTF_8, isConverted: true };
  return { name, format, preamble: () => preamble, encoding, isConverted: false };
}

export type RejectsFile = Awaited<ReturnType<typeof openRejectsFile>>;

/**
 * Opens a file for the unsuccessful records, unchanged and in the input's format, which the user
 * can correct and send again. Uses the encoding of the input. Contains generated IDs: a record that may have been applied must be
 * sent again with the same ID. A second file, `<path>.reasons.ndjson`, lists the reasons in the
 * same order, unless the path is a device or a pipe. Opens a given path immediately, to report an unwritable path before sending, but
 * keeps the content of an existing file until the first reject.
 * @throws SvcError `usage` if the file of an earlier run was edited
 */
export async function openRejectsFile(request: RejectsRequest) {
  const { format, locate, path, folder, earlier, signal } = request;
  const isReplaceable = earlier && (await isUnchanged(earlier));
  if (path !== undefined && isReplaceable === false && (await exists(path))) {
    throw new SvcError('usage', `--rejects: ${path} was edited after the last run of the job`, {
      hint: 'move the file, then resume the job, which writes all rejects to a new file',
    });
  }
  let records: OutputFile | undefined;
  let reasons: OutputFile | undefined;
  let isEmpty = true;
  const encode = createTextEncoder(format.encoding);
  const create = () => {
    if (path !== undefined) return openOutputFile(path, { existing: 'append', encode, signal });
    return isReplaceable
      ? openOutputFile(earlier.path, { existing: 'empty', encode, signal })
      : createNumbered(folder, format, encode);
  };
  const open = async () => {
    records ??= await create();
    if (records.isRegular)
      reasons ??= await openOutputFile(`${records.path}.reasons.ndjson`, { existing: 'empty' });
    return { records, reasons };
  };
  const discard = async (): Promise<undefined> => {
    await records?.discard();
    await reasons?.discard();
  };
  const reasonLine = ({
    record: { id, index, line, target },
    status,
    message,
    code,
  }: RecordResult) =>
    `${JSON.stringify({ ...locate(index, line), id, ...target?.data, status, code, message })}\n`;
  if (path !== undefined || isReplaceable) await open();
  return {
    async add(items: readonly RecordResult[]): Promise<void> {
      if (items.length === 0) return;
      const files = await open();
      if (isEmpty) await files.records.truncateTo(0);
      const { before, between } = framingOf(format);
      const texts = items.map(({ record }) => (format.isConverted ? record.jsonLine : record.text));
      await files.records.write((isEmpty ? before : between) + texts.join(between));
      isEmpty = false;
      await files.reasons?.write(items.map(reasonLine).join(''));
    },
    async close(): Promise<WrittenRejects | undefined> {
      if (isEmpty || !records) return discard();
      await records.write(framingOf(format).after);
      await records.close();
      await reasons?.close();
      const { size, mtimeMs } = await stat(records.path);
      return {
        path: records.path,
        isRegular: records.isRegular,
        bytes: size,
        changedAt: mtimeMs,
        format: format.format,
        isAnew: format.isConverted,
        ...(needsEncodingFlag(format.encoding) && { encoding: format.encoding.name }),
      };
    },
    discard,
  };
}

async function isUnchanged({ path, bytes, changedAt }: WrittenRejects): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  // Nobody can edit what a device or a pipe received.
  if (stats && !stats.isFile()) return true;
  return stats?.size === bytes && stats.mtimeMs === changedAt;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/**
 * Creates `users.rejects.json` for `users.json` and for `users.rejects.json` itself, or
 * `users.rejects.2.json` if that exists. Removes leading dashes: the name for `--data` is
 * `data.rejects.json`.
 */
async function createNumbered(
  folder: string,
  { name, format }: RejectsFormat,
  encode: (text: string) => Uint8Array,
): Promise<OutputFile> {
  const stem =
    basename(name)
      .replace(/\.gz$/i, '')
      .replace(/\.[^.]*$/, '')
      .replace(/\.rejects(\.\d+)?$/, '')
      .replace(/^-+/, '') || 'input';
  for (let number = 1; ; number += 1) {
    const path = join(folder, `${stem}.rejects${number === 1 ? '' : `.${number}`}.${format}`);
    try {
      return await openOutputFile(path, { existing: 'fail', encode });
    } catch (error) {
      if (!isExistingFileError(error)) throw error;
    }
  }
}
