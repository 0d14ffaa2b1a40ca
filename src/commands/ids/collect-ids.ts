import type { Operation } from '../../catalog/define.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { CallResult } from '../../client/client.ts';
import { isObject } from '../../kernel/json.ts';
import type { Context } from '../context.ts';
import { IdCollector } from './id-collector.ts';

type Input = Readonly<Record<string, unknown>>;

export function collectCalledIds(
  context: Context,
  entry: OperationEntry,
  { createsParents, splitIds, wait, issuesCredential }: Operation,
) {
  const collector = new IdCollector(entry.resource);
  const isRead = entry.effect === 'read';
  return {
    /**
     * Collects the IDs of a response and its request. Group IDs appear only in requests. Skips
     * request IDs that may not exist: those of a read with an empty result, lists of IDs, and those
     * that the service does not look up, or only after its response.
     */
    add(input: Input, { data }: CallResult<unknown>): void {
      collector.collect(data);
      for (const { kind, id } of createsParents?.of(input) ?? []) collector.add(kind, id);
      if (wait || issuesCredential) return;
      if (!isRead) collector.collect(input);
      else if (!isEmptyResult(data))
        collector.collect(splitIds ? { ...input, [splitIds.field]: undefined } : input);
    },
    save: () => saveIds(context, collector, entry),
  };
}

function isEmptyResult(data: unknown): boolean {
  if (Array.isArray(data)) return data.length === 0;
  if (!isObject(data)) return data === null || data === undefined;
  const lists = Object.values(data).filter(Array.isArray);
  return lists.length > 0
    ? lists.every((list) => list.length === 0)
    : Object.keys(data).length === 0;
}

export async function collectAndSaveIds(
  context: Context,
  entry: OperationEntry,
  value: unknown,
): Promise<void> {
  const collector = new IdCollector(entry.resource);
  collector.collect(value);
  await saveIds(context, collector, entry);
}

/** Adds IDs to the cache of the active profile. After a deletion, removes them instead. */
async function saveIds(
  context: Context,
  collector: IdCollector,
  { effect }: OperationEntry,
): Promise<void> {
  if (collector.ids.size === 0) return;
  const { removeCachedIds, cacheIds, idScopeOf } = await import('./id-cache.ts');
  const scope = idScopeOf(await context.target());
  await (effect === 'delete'
    ? removeCachedIds(context, scope, collector.ownIds)
    : cacheIds(context, scope, collector.ids));
}
