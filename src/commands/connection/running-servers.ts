import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Hint, hint, step } from '../../kernel/errors.ts';
import { createPrivateFolder, listFolder, readTextIfExists } from '../../kernel/files.ts';
import type { Folders } from '../../kernel/folders.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { isProcessRunning, processId } from '../../kernel/process.ts';
import { replaceFile } from '../../kernel/staged-file.ts';
import { displayStoreLocation, resolveStoreLocation } from '../../service/store/location.ts';
import type { Context } from '../context.ts';

/** A `svc serve` process of this user. */
export interface KnownServer {
  readonly url: string;
  /** Address of the inspector page with the admin token. Null without `--ui`. */
  readonly ui: string | null;
  /** Location of the store. */
  readonly store: string;
  /** Start time, in milliseconds since the epoch. */
  readonly startedAt: number;
}

/**
 * Makes a server known to `svc open`, in a file that only the user can read. A file that cannot be
 * written is ignored, because the server works without it.
 * @returns a function that removes the file
 */
export async function announceServer(
  { state }: Folders,
  server: KnownServer,
): Promise<() => Promise<void>> {
  const folder = locateServers(state);
  const path = join(folder, `${processId}.json`);
  try {
    await createPrivateFolder(folder);
    await replaceFile(path, JSON.stringify(server), { durable: false });
  } catch {
    return async () => undefined;
  }
  return () => rm(path, { force: true });
}

/** Describes which server sends or retries the pending deliveries of a store, or how to start one. */
export async function describeDeliverer(
  context: Context,
  purpose: 'send' | 'retry',
): Promise<Hint> {
  const server = await findServerOfStore(context);
  const [verb, kind] =
    purpose === 'send' ? (['sends', 'change'] as const) : (['retries', 'resume'] as const);
  return server
    ? hint`the service on ${server.url} ${verb} pending deliveries`
    : hint`to ${purpose} pending deliveries, run ${step(kind, 'serve')}`;
}

/** Lists the running servers, latest first. Ignores files of servers that were killed. */
export async function listRunningServers({ state }: Folders): Promise<readonly KnownServer[]> {
  const folder = locateServers(state);
  const names = await listFolder(folder).catch(() => []);
  const servers = await Promise.all(
    names.map(async (name): Promise<readonly KnownServer[]> => {
      const [, pid] = /^(\d+)\.json$/.exec(name) ?? [];
      if (pid === undefined || !isProcessRunning(Number(pid))) return [];
      return parseServer(tryParseJson((await readTextIfExists(join(folder, name))) ?? ''));
    }),
  );
  return servers.flat().toSorted((one, other) => other.startedAt - one.startedAt);
}

/** Finds the running server of the store that `--store` selects, or of the default store. */
export async function findServerOfStore({
  options: { store },
  folders,
}: Context): Promise<KnownServer | undefined> {
  const location = displayStoreLocation(await resolveStoreLocation(store, folders));
  return (await listRunningServers(folders)).find((server) => server.store === location);
}

function parseServer(value: unknown): readonly KnownServer[] {
  const { url, ui, store, startedAt } = isObject(value) ? value : {};
  if (typeof url !== 'string' || typeof store !== 'string' || typeof startedAt !== 'number')
    return [];
  return [{ url, ui: typeof ui === 'string' ? ui : null, store, startedAt }];
}

/** Returns the folder with the files of running servers. */
export function locateServers(state: string): string {
  return join(state, 'servers');
}
