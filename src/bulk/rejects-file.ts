import { lstat, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse } from 'node:path';
import type { InputFormat } from '../catalog/bulk-options.ts';
import { messageOf, systemErrorCode } from '../kernel/errors.ts';
import { requireWritableFolder, resolveLinks, throwFileError } from '../kernel/files.ts';
import { isObject, tryParseJson } from '../kernel/json.ts';
import { isStream, openOutputFile, type StagedOutput, stageOutput } from '../kernel/output-file.ts';
import { isDescriptorPath, readHead } from '../kernel/read-file.ts';
import type { RecordResult } from './batches.ts';
import type { WrittenRejects } from './journal/outcomes.ts';
import type { LocateRecord } from './record-position.ts';
import type { Source } from './source/source.ts';
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
  /** Output path (default: a file in `folder`, named after the input). */
  readonly path?: string;
  readonly folder: string;
  /** Folder for rejects without `path` that cannot be written to `folder`. */
  readonly fallbackFolder?: string;
  /** The file of an earlier run of the job, which this run replaces. */
  readonly earlier?: WrittenRejects;
  readonly signal?: AbortSignal;
  readonly warn?: (text: string) => Promise<void>;
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

export interface RejectsFile {
  /** Whether the rejects could not be written. */
  readonly hasFailed: boolean;
  add(items: readonly RecordResult[]): Promise<void>;
  /** @returns the file, unless no record was added */
  close(): Promise<WrittenRejects | undefined>;
  discard(): Promise<void>;
}

/**
 * Opens a file for the unsuccessful records, unchanged and in the input's format, which the user
 * can correct and send again. Uses the encoding of the input. Contains generated IDs: a record that
 * may have been applied must be sent again with the same ID. A second file,
 * `<path>.reasons.ndjson`, lists the reasons in the same order, unless the path is a device or a
 * pipe.
 *
 * Rejects are data: they replace only an empty file, and the unchanged file of an earlier run of the
 * job. Otherwise, they go to the next free path, such as `again.2.csv`. Without rejects, no file is
 * written.
 * @throws SvcError `local` if the folder cannot be written
 */
export async function openRejectsFile(request: RejectsRequest): Promise<RejectsFile> {
  const { format, locate, path, signal, fallbackFolder } = request;
  const earlier = request.earlier && (await findUnchanged(request.earlier));
  const encode = createTextEncoder(format.encoding);
  const streamed = path !== undefined && (await isStream(path));
  let wanted = earlier?.path ?? path ?? defaultPath(request.folder, format);
  const useFallback = async (error: unknown) => {
    const isDefault = path === undefined && fallbackFolder !== undefined;
    if (!isDefault || dirname(wanted) === fallbackFolder) throw error;
    wanted = join(fallbackFolder, basename(wanted));
    await request.warn?.(`${messageOf(error)}; failed records will be saved in ${fallbackFolder}`);
  };
  if (!streamed) await checkFolder(wanted, earlier).catch(useFallback);
  const openStream = () => openOutputFile(wanted, { existing: 'append', encode, signal });
  let stream = streamed ? await openStream() : undefined;
  let records: StagedOutput | undefined;
  let reasons: StagedOutput | undefined;
  let isEmpty = true;
  const stageBoth = async () => {
    const place = await placeOf(wanted, earlier);
    records ??= await stageOutput(place, encode);
    reasons ??= await stageOutput(reasonsPathOf(place));
  };
  const open = async () => {
    if (!stream) await stageBoth().catch(async (error) => useFallback(error).then(stageBoth));
  };
  const discard = async (): Promise<undefined> => {
    await stream?.close();
    await records?.discard();
    await reasons?.discard();
    stream = undefined;
  };
  const write = (text: string) => (stream ?? records)?.write(text);
  const reasonLine = ({
    record: { id, index, line, target },
    status,
    message,
    code,
  }: RecordResult) =>
    `${JSON.stringify({ ...locate(index, line), id, ...target?.data, status, code, message })}\n`;
  let hasFailed = false;
  const tracked = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      hasFailed = true;
      await discard().catch(() => undefined);
      throw error;
    }
  };
  return {
    get hasFailed() {
      return hasFailed;
    },
    add: async (items) => {
      if (items.length === 0) return;
      await tracked(() => addAll(items));
    },
    close: () => tracked(close),
    discard,
  };

  async function addAll(items: readonly RecordResult[]): Promise<void> {
    await open();
    const { before, between } = framingOf(format);
    const texts = items.map(({ record }) => (format.isConverted ? record.jsonLine : record.text));
    await write((isEmpty ? before : between) + texts.join(between));
    isEmpty = false;
    await reasons?.write(items.map(reasonLine).join(''));
  }

  async function close(): Promise<WrittenRejects | undefined> {
    if (isEmpty) {
      // This run sent the records of the earlier file.
      if (earlier) await removeBoth(earlier.path);
      return discard();
    }
    await write(framingOf(format).after);
    await stream?.close();
    const written =
      records && reasons ? await publish(wanted, records, reasons, earlier?.path) : wanted;
    const { size, mtimeMs } = await stat(written);
    return {
      path: written,
      isRegular: !streamed,
      bytes: size,
      changedAt: mtimeMs,
      format: format.format,
      isAnew: format.isConverted,
      ...(needsEncodingFlag(format.encoding) && { encoding: format.encoding.name }),
    };
  }
}

/** Puts both files in the first free place, or in the place of those of an earlier run. */
async function publish(
  wanted: string,
  records: StagedOutput,
  reasons: StagedOutput,
  earlier: string | undefined,
): Promise<string> {
  for (const path of numberedPaths(wanted)) {
    const isOwn = path === earlier;
    if (!isOwn && !(await areReplaceable(path))) continue;
    const isEmpty = (await sizeOf(path)) === 0;
    if (!(await records.publish(path, { mayReplace: isOwn || isEmpty }))) continue;
    await reasons.publish(reasonsPathOf(path), { mayReplace: true });
    return path;
  }
  throw new TypeError('the paths do not end');
}

export function reasonsPathOf(rejects: string): string {
  return `${rejects}.reasons.ndjson`;
}

function* numberedPaths(path: string): Generator<string> {
  yield path;
  const { dir, name, ext } = parse(path);
  for (let number = 2; ; number += 1) yield join(dir, `${name}.${number}${ext}`);
}

/** Returns the size of a file; undefined if it is missing, and infinity for a folder or a device. */
async function sizeOf(path: string): Promise<number | undefined> {
  const stats = await stat(path).catch(() => undefined);
  return stats?.isFile() === false ? Number.POSITIVE_INFINITY : stats?.size;
}

/** Returns the path beside which rejects are staged: the target of a link, unless it has content. */
async function placeOf(wanted: string, earlier: WrittenRejects | undefined): Promise<string> {
  const isReplaced = earlier !== undefined || !(await sizeOf(wanted));
  return isReplaced ? resolveLinks(wanted).catch(throwFileError('write', wanted)) : wanted;
}

/** @throws SvcError `local` if the files cannot be created in the folder of the rejects */
async function checkFolder(wanted: string, earlier: WrittenRejects | undefined): Promise<void> {
  const place = await placeOf(wanted, earlier);
  await requireWritableFolder(place).catch(throwFileError('write', wanted));
  const reasons = reasonsPathOf(place);
  await lstat(reasons).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENAMETOOLONG') throwFileError('write', reasons)(error);
  });
}

/** Whether a path is free or empty, and its reasons are free, empty, or left over from other rejects. */
async function areReplaceable(path: string): Promise<boolean> {
  if (await sizeOf(path)) return false;
  const reasons = reasonsPathOf(path);
  return !(await sizeOf(reasons)) || isReasons(await readHead(reasons));
}

/** Whether a text begins like the reasons of rejects. */
function isReasons(head: string): boolean {
  const reason = tryParseJson(head.split('\n', 1)[0] ?? '');
  return isObject(reason) && 'id' in reason && 'status' in reason && 'code' in reason;
}

async function removeBoth(path: string): Promise<void> {
  for (const each of [path, reasonsPathOf(path)]) await rm(each, { force: true });
}

/** Returns what an earlier run wrote, if nobody edited it. */
async function findUnchanged(earlier: WrittenRejects): Promise<WrittenRejects | undefined> {
  const stats = await stat(earlier.path).catch(() => undefined);
  const isSame = stats?.size === earlier.bytes && stats.mtimeMs === earlier.changedAt;
  return isSame && stats.isFile() && !isDescriptorPath(earlier.path) ? earlier : undefined;
}

/** Bytes of the input's name that a default name keeps, so that file systems accept it with its endings. */
const MAX_STEM_BYTES = 200;

/**
 * Returns `users.rejects.json` for `users.json` and for `users.rejects.json` itself. Removes leading
 * dashes: the name for `--data` is `data.rejects.json`.
 */
function defaultPath(folder: string, { name, format }: RejectsFormat): string {
  const stem =
    basename(name)
      .replace(/\.gz$/i, '')
      .replace(/\.[^.]*$/, '')
      .replace(/\.rejects(\.\d+)?$/, '')
      .replace(/^-+/, '') || 'input';
  const short = Buffer.from(stem)
    .subarray(0, MAX_STEM_BYTES)
    .toString()
    .replace(/\ufffd+$/, '');
  return join(folder, `${short}.rejects.${format}`);
}
