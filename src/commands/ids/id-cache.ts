import { join } from 'node:path';
import type { Environment, Folders } from '../../kernel/folders.ts';
import { isObject } from '../../kernel/is-object.ts';
import { SWITCHES } from '../../kernel/variables.ts';
import { readRegularFile } from '../../kernel/whole-file.ts';

/** What an id is the id of. */
export type IdKind = 'organization' | 'folder' | 'document' | 'user' | 'group' | 'agent' | 'endpoint';

interface CacheDependencies {
  readonly folders: Folders;
  readonly environment: Environment;
}

/** Whose ids are meant: the embedded service's, or those of a profile. */
export interface IdScope {
  readonly local: boolean;
  /** The one in use, if there is one. */
  readonly profile: string | undefined;
}

/** Ids kept of each kind, the latest first. */
const MOST_IDS = 500;
const LONGEST_ID = 128;

type FoundByKind = ReadonlyMap<IdKind, ReadonlySet<string>>;
type Cache = ReadonlyMap<IdKind, readonly string[]>;

/** The ids of a kind that earlier commands have read, the latest first. No network, and no error: a cache may be missing or damaged. */
export async function knownIds(
  dependencies: CacheDependencies,
  scope: IdScope,
  kind: IdKind,
): Promise<readonly string[]> {
  const path = cachePath(dependencies, scope);
  return path === undefined ? [] : ((await readCache(path)).get(kind) ?? []);
}

/** Keeps ids for completion. A cache that cannot be written is no reason for a command to fail. */
export function rememberIds(dependencies: CacheDependencies, scope: IdScope, found: FoundByKind): Promise<void> {
  return change(dependencies, scope, found, latest);
}

/** Takes ids out, wherever they are. */
export function forgetIds(dependencies: CacheDependencies, scope: IdScope, gone: FoundByKind): Promise<void> {
  return change(dependencies, scope, gone, (ids, known) => known.filter((id) => !ids.has(id)));
}

async function change(
  dependencies: CacheDependencies,
  scope: IdScope,
  named: FoundByKind,
  become: (named: ReadonlySet<string>, known: readonly string[]) => readonly string[],
): Promise<void> {
  const path = cachePath(dependencies, scope);
  if (path === undefined || named.size === 0) return;
  const known = await readCache(path);
  const changed = new Map(known);
  for (const [kind, ids] of named) changed.set(kind, become(ids, known.get(kind) ?? []));
  if ([...named.keys()].every((kind) => changed.get(kind)?.join('\n') === known.get(kind)?.join('\n'))) return;
  await writeCache(path, changed).catch(() => undefined);
}

/** New ids in front; those that were known keep their places, so that reading the same again changes nothing. */
function latest(ids: ReadonlySet<string>, known: readonly string[]): readonly string[] {
  const before = new Set(known);
  const fresh = [...ids].filter((id) => !before.has(id) && id !== '' && id.length <= LONGEST_ID);
  return [...fresh, ...known].slice(0, MOST_IDS);
}

async function readCache(path: string): Promise<Cache> {
  const text = await readRegularFile(path).then(String, () => '{}');
  try {
    const value: unknown = JSON.parse(text);
    const entries = isObject(value) ? Object.entries(value) : [];
    return new Map(entries.map(([kind, ids]) => [kind as IdKind, Array.isArray(ids) ? ids.map(String) : []]));
  } catch {
    return new Map();
  }
}

/** Writes the cache without flushing it to disk: lost IDs are remembered again. */
async function writeCache(path: string, cache: Cache): Promise<void> {
  const { privateFolder, replaceFile } = await import('../../kernel/files.ts');
  await privateFolder(join(path, '..'));
  await replaceFile(path, JSON.stringify(Object.fromEntries(cache)), { durable: false });
}

function cachePath({ folders, environment }: CacheDependencies, { local, profile }: IdScope): string | undefined {
  if (environment[SWITCHES.completionCache] === '0') return undefined;
  const name = local ? 'local' : profile === undefined ? 'environment' : `profile-${encodeURIComponent(profile)}`;
  return join(folders.state, 'completion', `${name}.json`);
}
