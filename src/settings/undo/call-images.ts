import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobTarget } from '../../bulk/journal/job-description.ts';
import { isExpired, JOB_NAME } from '../../bulk/journal/job-folder.ts';
import { createPrivateFolder, listFolder, readTextIfExists } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { tryParseJson } from '../../kernel/json.ts';
import { appendImages, type BeforeImage } from './before-images.ts';

/** A single call that replaced values: the first line of its file. */
export interface OverwritingCall {
  readonly operation: string;
  readonly target: JobTarget;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

const SUFFIX = '.ndjson';
const MAX_CALLS = 100;
const callsFolder = ({ state }: Folders) => join(state, 'undo');
export const callImagesPath = (folders: Folders, call: string) =>
  join(callsFolder(folders), call + SUFFIX);

/** Returns the IDs of the calls whose replaced values are stored, the latest first. */
export async function listCalls(folders: Folders): Promise<readonly string[]> {
  const names = await listFolder(callsFolder(folders));
  const calls = names
    .filter((name) => name.endsWith(SUFFIX))
    .map((name) => name.slice(0, -SUFFIX.length));
  return calls.filter((name) => JOB_NAME.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}

/**
 * Adds lines to the file of a call. Deletes the files of calls older than 30 days or beyond the
 * newest 100.
 */
export async function appendCallImages(
  folders: Folders,
  call: string,
  lines: readonly [OverwritingCall, ...BeforeImage[]],
) {
  const [{ startedAt }] = lines;
  await createPrivateFolder(callsFolder(folders));
  await appendImages(callImagesPath(folders, call), lines);
  for (const [at, name] of (await listCalls(folders)).entries())
    if (at >= MAX_CALLS || isExpired(name, startedAt)) await removeCallImages(folders, name);
}

export async function removeCallImages(folders: Folders, call: string): Promise<void> {
  await rm(callImagesPath(folders, call), { force: true });
}

export async function readCall(folders: Folders, call: string): Promise<OverwritingCall> {
  const [header = ''] = ((await readTextIfExists(callImagesPath(folders, call))) ?? '').split(
    '\n',
    1,
  );
  return tryParseJson(header) as OverwritingCall;
}
