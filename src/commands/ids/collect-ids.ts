import type { Operation } from '../../catalog/define.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { Answer } from '../../client/client.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { Context } from '../context.ts';
import { IdCollector } from './id-collector.ts';

type Input = Readonly<Record<string, unknown>>;

/** Collects the IDs of a command's calls, and caches them for completion when the command ends. */
export class CalledIds {
  readonly #collector: IdCollector;
  readonly #entry: OperationEntry;
  readonly #operation: Operation;

  constructor(entry: OperationEntry, operation: Operation) {
    this.#collector = new IdCollector(entry.resource);
    this.#entry = entry;
    this.#operation = operation;
  }

  /**
   * Collects the IDs of a response and its request. Requests are included because IDs of groups are in no response. An
   * empty result of a read does not prove that the IDs of its request exist.
   */
  add(input: Input, { data }: Answer<unknown>): void {
    this.#collector.collect(data);
    const { createsParents } = this.#operation;
    for (const { kind, id } of createsParents?.of(input) ?? []) this.#collector.add(kind, id);
    if (this.#entry.effect !== 'read') this.#collector.collect(input);
    else if (!isEmptyResult(data)) this.#collector.collect(this.#withoutRequestedIds(input));
  }

  /** Saves the IDs. IDs that were deleted are removed from the cache. */
  save(context: Context): Promise<void> {
    return saveIds(context, this.#collector, this.#entry);
  }

  /** Input without a list of IDs to find, of which some may not exist. */
  #withoutRequestedIds(input: Input): Input {
    const { splitIds } = this.#operation;
    return splitIds ? { ...input, [splitIds.field]: undefined } : input;
  }
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
  const { removeCachedIds: forgetIds, cacheIds: rememberIds } = await import('./id-cache.ts');
  const { local } = context.options;
  const profile = local ? undefined : (await context.openSettings()).profile?.value;
  if (effect === 'delete') await forgetIds(context, { local, profile }, collector.ownIds);
  else await rememberIds(context, { local, profile }, collector.ids);
}
