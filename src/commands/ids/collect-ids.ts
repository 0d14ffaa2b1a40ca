import type { Operation } from '../../catalog/define.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { CallResult } from '../../client/client.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { Context } from '../context.ts';
import { IdCollector } from './id-collector.ts';

type Input = Readonly<Record<string, unknown>>;

/** Collects the IDs of a command's calls, and caches them for completion when the command ends. */
export function collectCalledIds(context: Context, entry: OperationEntry, { createsParents, splitIds }: Operation) {
  const collector = new IdCollector(entry.resource);
  const isRead = entry.effect === 'read';
  return {
    /**
     * Collects the IDs of a response and its request. Requests are included because IDs of groups are in no response. An
     * empty result of a read does not prove that the IDs of its request exist, and some of a list of IDs may not.
     */
    add(input: Input, { data }: CallResult<unknown>): void {
      collector.collect(data);
      for (const { kind, id } of createsParents?.of(input) ?? []) collector.add(kind, id);
      if (!isRead) collector.collect(input);
      else if (!isEmptyResult(data)) collector.collect(splitIds ? { ...input, [splitIds.field]: undefined } : input);
    },
    /** Saves the IDs. IDs that were deleted are removed from the cache. */
    save: () => saveIds(context, collector, entry),
  };
}

/** Whether a result has no record: no data, an empty list, or an object of empty lists. */
function isEmptyResult(data: unknown): boolean {
  if (Array.isArray(data)) return data.length === 0;
  if (!isObject(data)) return data === null || data === undefined;
  const lists = Object.values(data).filter(Array.isArray);
  return lists.length > 0 ? lists.every((list) => list.length === 0) : Object.keys(data).length === 0;
}

/** Caches the target of a job of which at least one record was applied: its organization, document, folder, or group. */
export async function saveTargetIds(
  context: Context,
  entry: OperationEntry,
  { fields: { listName }, data }: { readonly fields: { readonly listName: string }; readonly data: Input },
): Promise<void> {
  const collector = new IdCollector(entry.resource);
  collector.collect({ ...data, [listName]: undefined });
  if (entry.effect !== 'delete') await saveIds(context, collector, entry);
}

/** Adds the collected IDs to the cache of the active profile, or removes them after a deletion. */
export async function saveIds(context: Context, collector: IdCollector, { effect }: OperationEntry): Promise<void> {
  if (collector.ids.size === 0) return;
  const { removeCachedIds, cacheIds } = await import('./id-cache.ts');
  const { local } = context.options;
  const profile = local ? undefined : (await context.openSettings()).profile?.value;
  if (effect === 'delete') await removeCachedIds(context, { local, profile }, collector.ownIds);
  else await cacheIds(context, { local, profile }, collector.ids);
}
