import { createHash } from 'node:crypto';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Target } from '../../client/client.ts';
import type { SharedGate } from '../../client/gate.ts';
import type { Clock } from '../../kernel/clock.ts';
import { privateFolder, replaceFile } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';

/** Milliseconds that a look at the file is good for, so that many requests a second don't mean as many looks. */
const FRESH = 50;

/** Bytes of a file that may be what is written here. */
const LARGEST = 1_024;

/** Milliseconds after which a file that nobody wrote to is of no use to anyone. */
const FORGOTTEN = 24 * 60 * 60_000;

/**
 * A small file in the state folder for each service and whom it is called as, which says until when requests have to
 * wait. Where it cannot be written or makes no sense, each process finds out by itself, as if it were not there.
 */
export function sharedGate(folders: Folders, clock: Clock, target: Target): SharedGate {
  const folder = join(folders.state, 'gates');
  const path = join(folder, `${nameOf(target)}.json`);
  let looked = Number.NEGATIVE_INFINITY;
  let seen: Stats | undefined;
  let until: number | undefined;
  return {
    closedUntil() {
      const now = clock.now();
      if (now >= looked && now - looked < FRESH) return until;
      looked = now;
      const found = statIfExists(path);
      if (found?.mtimeMs !== seen?.mtimeMs || found?.ino !== seen?.ino)
        until = found?.isFile() && found.size < LARGEST ? readUntil(path, now) : undefined;
      seen = found;
      return until;
    },
    close(untilEpoch) {
      void write(folder, path, { until: untilEpoch, from: clock.now() }).catch(() => undefined);
    },
  };
}

/** The same for all who are limited together. Neither the address nor the ids can be read from it. */
function nameOf({ baseUrl, key, workspace }: Target): string {
  const who = JSON.stringify([URL.parse(baseUrl)?.origin, key?.apiKey, workspace?.workspaceId]);
  return createHash('sha256').update(who).digest('hex').slice(0, 32);
}

function statIfExists(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** What is written in the file. A pause that begins in the future was written before the clock was set back: it begins now. */
function readUntil(path: string, now: number): number | undefined {
  try {
    const { until, from }: { until?: unknown; from?: unknown } = Object(JSON.parse(readFileSync(path, 'utf8')));
    if (typeof until !== 'number' || !Number.isFinite(until)) return undefined;
    return typeof from === 'number' && from > now ? now + until - from : until;
  } catch {
    return undefined;
  }
}

/** Writes when the wait began and when it ends, and deletes files that no process has used for a long time. */
async function write(folder: string, path: string, pause: { until: number; from: number }): Promise<void> {
  await privateFolder(folder);
  await replaceFile(path, JSON.stringify(pause), { durable: false });
  const { mtimeMs: now } = await stat(path);
  for (const name of await readdir(folder)) {
    const other = join(folder, name);
    if ((await stat(other)).mtimeMs < now - FORGOTTEN) await rm(other, { force: true });
  }
}
