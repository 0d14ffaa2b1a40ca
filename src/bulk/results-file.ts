import { constants, createReadStream } from 'node:fs';
import { access, rm, stat } from 'node:fs/promises';
import { identifyAcrossRuns } from '../kernel/file-identity.ts';
import { requireWritableFolder, resolveLinks, throwFileError } from '../kernel/files.ts';
import { openOutputFile } from '../kernel/output-file.ts';
import { isDescriptorPath } from '../kernel/read-file.ts';
import type { RecordResult } from './batches.ts';
import type { SavedResults } from './journal/outcomes.ts';
import type { LocateRecord } from './record-position.ts';

export interface ResultsFile {
  /** Whether the results of earlier runs are missing from the file. */
  readonly isLost: boolean;
  readonly saved: SavedResults;
  write(items: readonly RecordResult[]): Promise<void>;
  /**
   * Closes the file.
   * @param isComplete whether no later run of the job adds results
   */
  close(isComplete: boolean): Promise<void>;
  /** Closes the file of a run that sent nothing, and removes it if it is new. */
  discard(): Promise<void>;
}

export interface ResultsRequest {
  readonly path: string;
  /** Path for the results until they are complete, if `path` has older ones. */
  readonly stage: string;
  readonly locate: LocateRecord;
  readonly saved?: SavedResults | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the file for the results of all records as NDJSON, appended as outcomes become known. An
 * existing file keeps its content until the job is complete, unless an earlier run of the job wrote it.
 * @throws SvcError `local` if the file could not be replaced
 */
export async function openResultsFile({
  path,
  stage,
  locate,
  saved,
  signal,
}: ResultsRequest): Promise<ResultsFile> {
  const before = await stat(path).catch(() => undefined);
  const isOwn = saved?.file !== undefined && saved.file === identifyAcrossRuns(before);
  let isStaged =
    saved?.isStaged ??
    (!isOwn && before?.isFile() === true && before.size > 0 && !isDescriptorPath(path));
  if (isStaged) await checkReplaceable(path);
  const file = await openOutputFile(isStaged ? stage : path, {
    existing: 'append',
    mode: 0o600,
    signal,
  });
  const earlier = saved?.bytes ?? 0;
  const found = await file.truncateTo(isOwn || isStaged ? earlier : 0);
  const isLost = file.isRegular && found < earlier;
  let bytes = isLost ? await file.truncateTo(0) : found;
  const identity = isStaged
    ? undefined
    : identifyAcrossRuns(await stat(path).catch(() => undefined));
  const lineOf = ({
    record: { id, index, line, target },
    status: found,
    message,
    code,
    effect,
  }: RecordResult) => {
    const status = found === 'existing' ? 'skipped' : found;
    return `${JSON.stringify({ id, ...target?.data, ...locate(index, line), status, message, code, effect })}\n`;
  };
  return {
    isLost,
    get saved(): SavedResults {
      return { bytes, ...(isStaged && { isStaged }), ...(identity && { file: identity }) };
    },
    write: async (items) => {
      if (items.length === 0) return;
      const text = items.map(lineOf).join('');
      await file.write(text);
      bytes += Buffer.byteLength(text);
    },
    close: async (isComplete) => {
      await file.close();
      if (!isStaged || !isComplete) return;
      await moveText(stage, path);
      isStaged = false;
    },
    discard: file.discard,
  };
}

/** @throws SvcError `local` */
async function checkReplaceable(path: string): Promise<void> {
  const fail = throwFileError('write', path);
  const target = await resolveLinks(path).catch(fail);
  await access(target, constants.W_OK).catch(fail);
  await requireWritableFolder(target).catch(fail);
}

/** Replaces the target with a complete file, which may be on another file system, and removes that file. */
async function moveText(source: string, target: string): Promise<void> {
  const output = await openOutputFile(target, { existing: 'replace', mode: 0o600 });
  try {
    for await (const text of createReadStream(source, 'utf8')) await output.write(String(text));
  } catch (error) {
    await output.discard();
    return throwFileError('write', target)(error);
  }
  await output.close();
  await rm(source, { force: true });
}
