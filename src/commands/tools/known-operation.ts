import { loadOperation } from '../../catalog/index.ts';
import { groupByPath } from '../../catalog/manifest.ts';
import { selectOperation } from '../../catalog/select-operation.ts';

export type KnownOperation = NonNullable<Awaited<ReturnType<typeof findKnownOperation>>>;

/**
 * Finds the operation for a path and data. Returns `undefined` if the path is not in the catalog.
 */
export async function findKnownOperation(path: string, data: unknown) {
  const candidates = groupByPath().get(path) ?? [];
  const entry = selectOperation(candidates, data);
  return entry && { entry, operation: await loadOperation(entry.resource, entry.name) };
}
