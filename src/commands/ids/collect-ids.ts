import type { OperationEntry } from '../../catalog/manifest.ts';
import type { Answer } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { IdCollector } from './id-collector.ts';

/**
 * Passes responses through and caches the IDs in them and in their requests for completion. Requests are included because
 * IDs of groups are in no response. Deleted IDs are removed from the cache.
 */
export async function* collectIds(
  context: Context,
  entry: OperationEntry,
  inputs: readonly unknown[],
  responses: AsyncIterable<Answer<unknown>>,
): AsyncGenerator<Answer<unknown>> {
  const collector = new IdCollector(entry.resource);
  let responseCount = 0;
  try {
    for await (const response of responses) {
      responseCount += 1;
      collector.collect(response.data);
      yield response;
    }
  } finally {
    if (responseCount > 0) {
      collector.collect(entry.effect === 'read' ? inputs : inputs.slice(0, responseCount));
      await saveIds(context, collector, entry);
    }
  }
}

/** Adds the collected IDs to the cache of the active profile, or removes them after a deletion. */
export async function saveIds(context: Context, collector: IdCollector, { effect }: OperationEntry): Promise<void> {
  if (collector.ids.size === 0) return;
  const { removeCachedIds: forgetIds, cacheIds: rememberIds } = await import('./id-cache.ts');
  const { local } = context.options;
  const profile = local ? undefined : (await context.openSettings()).profile?.value;
  if (effect === 'delete') await forgetIds(context, { local, profile }, collector.ownIds);
  else await rememberIds(context, { local, profile }, collector.ids);
}
