import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { groupByPath, type OperationEntry } from '../../catalog/manifest.ts';
import { selectOperation } from '../../catalog/select-operation.ts';

export interface KnownOperation {
  readonly entry: OperationEntry;
  readonly operation: Operation;
}

/**
 * Finds the operation for a path and data. Returns `undefined` if the path is not in the catalog.
 */
export async function findKnownOperation(
  path: string,
  data: unknown,
): Promise<KnownOperation | undefined> {
  const candidates = groupByPath().get(path) ?? [];
  const entry = selectOperation(candidates, data);
  return entry && { entry, operation: await loadOperation(entry.resource, entry.name) };
}
