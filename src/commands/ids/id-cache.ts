import { join } from 'node:path';
import { findIdProblem } from '../../kernel/id-text.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { readRegularFile } from '../../kernel/read-file.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { CommandTarget } from '../../profiles/target.ts';
import type { ProcessEnvironment } from '../context.ts';

export type IdKind =
  | 'organization'
  | 'folder'
  | 'document'
  | 'user'
  | 'group'
  | 'agent'
  | 'endpoint';
type CacheDependencies = Pick<ProcessEnvironment, 'folders' | 'environment'>;

const MAX_SCOPE_LENGTH = 200;

/**
 * Returns the name of the cache for the IDs of a target: IDs of one target never help another, even
 * if a profile has led to both.
 */
export function idScopeOf({
  embedded,
  baseUrl,
  apiKey,
}: Pick<CommandTarget, 'embedded' | 'baseUrl' | 'apiKey'>): string {
  if (embedded) return 'local';
  const name = [apiKey?.value, baseUrl?.value].filter(Boolean).join(' ');
  return `key-${encodeURIComponent(name)}`.slice(0, MAX_SCOPE_LENGTH);
}

const MAX_IDS = 500;
const MAX_ID_LENGTH = 128;
type IdsByKind = ReadonlyMap<IdKind, ReadonlySet<string>>;
type Cache = ReadonlyMap<IdKind, readonly string[]>;

/**
 * Returns the cached IDs of a kind, newest first, without those that svc does not accept. Returns
 * no IDs for a missing or damaged cache.
 */
export async function readCachedIds(
  dependencies: CacheDependencies,
  scope: string,
  kind: IdKind,
): Promise<readonly string[]> {
  const path = cachePath(dependencies, scope);
  const ids = path === undefined ? [] : ((await readCache(path)).get(kind) ?? []);
  return ids.filter((id) => findIdProblem(id) === undefined);
}

export function cacheIds(
  dependencies: CacheDependencies,
  scope: string,
  found: IdsByKind,
): Promise<void> {
  return updateCache(dependencies, scope, found, mergeIds);
}

export function removeCachedIds(
  dependencies: CacheDependencies,
  scope: string,
  removed: IdsByKind,
): Promise<void> {
  return updateCache(dependencies, scope, removed, (ids, known) =>
    known.filter((id) => !ids.has(id)),
  );
}

async function updateCache(
  dependencies: CacheDependencies,
  scope: string,
  affected: IdsByKind,
  update: (affected: ReadonlySet<string>, known: readonly string[]) => readonly string[],
): Promise<void> {
  const path = cachePath(dependencies, scope);
  if (path === undefined || affected.size === 0) return;
  const known = await readCache(path);
  const changed = new Map(known);
  for (const [kind, ids] of affected) changed.set(kind, update(ids, known.get(kind) ?? []));
  if (
    [...affected.keys()].every(
      (kind) => changed.get(kind)?.join('\n') === known.get(kind)?.join('\n'),
    )
  )
    return;
  await writeCache(path, changed).catch(() => undefined);
}

/**
 * Adds new IDs at the front. Known IDs keep their positions, so repeated reads don't change the
 * cache.
 */
function mergeIds(ids: ReadonlySet<string>, known: readonly string[]): readonly string[] {
  const before = new Set(known);
  const fresh = [...ids].filter((id) => !before.has(id) && id !== '' && id.length <= MAX_ID_LENGTH);
  return [...fresh, ...known].slice(0, MAX_IDS);
}

async function readCache(path: string): Promise<Cache> {
  const value = tryParseJson(await readRegularFile(path).then(String, () => ''));
  const entries = isObject(value) ? Object.entries(value) : [];
  return new Map(
    entries.map(([kind, ids]) => [kind as IdKind, Array.isArray(ids) ? ids.map(String) : []]),
  );
}

/** Writes the cache without flushing it to disk, because lost IDs are cached again later. */
async function writeCache(path: string, cache: Cache): Promise<void> {
  const [{ createPrivateFolder }, { replaceFile }] = await Promise.all([
    import('../../kernel/files.ts'),
    import('../../kernel/staged-file.ts'),
  ]);
  await createPrivateFolder(join(path, '..'));
  await replaceFile(path, JSON.stringify(Object.fromEntries(cache)), { durable: false });
}

function cachePath({ folders, environment }: CacheDependencies, scope: string): string | undefined {
  if (environment[SWITCH_VARIABLES.completionCache] === '0') return undefined;
  return join(folders.state, 'completion', `${scope}.json`);
}
