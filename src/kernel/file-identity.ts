import { type BigIntStats, fstatSync, type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { resolveLinks } from './files.ts';
import { currentPlatform } from './process.ts';

/**
 * Identifies what a path leads to by device and inode, so that all names of a file have the same
 * identity: relative paths, links, hard links, and descriptors such as `/dev/stdin`. Identifies a
 * missing file by its folder and name. Returns `undefined` for what several programs can share
 * without harm, such as devices and terminals.
 */
export async function identifyFile(path: string): Promise<string | undefined> {
  const stats = statIfPossible(() => statSync(path, { bigint: true }));
  if (stats) return identityOf(stats);
  const target = await resolveLinks(path).catch(() => path);
  const folder = await stat(dirname(target), { bigint: true }).catch(() => undefined);
  const name = basename(target);
  if (!folder) return target;
  return `${folder.dev}:${folder.ino}/${ignoresCase() ? name.toLowerCase() : name}`;
}

/** Identifies the file or the pipe that a descriptor of this process is open on. */
export function identifyDescriptor(descriptor: number): string | undefined {
  const stats = statDescriptor(descriptor);
  return stats && identityOf(stats);
}

/** Identifies the regular file that a descriptor of this process is open on. */
export function identifyOpenFile(descriptor: number): string | undefined {
  const stats = statDescriptor(descriptor);
  return stats?.isFile() ? identityOf(stats) : undefined;
}

/**
 * Identifies a regular file for a later process. The time of its creation tells it from a new file
 * with the same inode.
 */
export function identifyAcrossRuns(stats: Stats | undefined): string | undefined {
  return stats?.isFile() ? `${stats.dev}:${stats.ino}:${stats.birthtimeMs}` : undefined;
}

/** Returns undefined for a closed descriptor. */
function statDescriptor(descriptor: number): BigIntStats | undefined {
  return statIfPossible(() => fstatSync(descriptor, { bigint: true }));
}

/** Returns undefined if the system reports an error, such as for a missing file. */
export function statIfPossible<Status>(read: () => Status): Status | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function identityOf(stats: BigIntStats): string | undefined {
  return stats.isFile() || stats.isFIFO() ? `${stats.dev}:${stats.ino}` : undefined;
}

/** Whether the file systems of this platform usually ignore case. */
function ignoresCase(): boolean {
  return currentPlatform === 'win32' || currentPlatform === 'darwin';
}
