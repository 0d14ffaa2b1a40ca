import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';
import { operationFor } from '../../catalog/operation-for.ts';

/** An operation of the catalog, with its entry in the manifest. */
export interface KnownOperation {
  readonly entry: OperationEntry;
  readonly operation: Operation;
}

/** The operation that a call of `path` with `data` reaches; `undefined` for a path that the catalog does not have. */
export async function operationAt(path: string, data: unknown): Promise<KnownOperation | undefined> {
  const entry = operationFor(
    manifest.filter((candidate) => candidate.path === path),
    data,
  );
  return entry && { entry, operation: await loadOperation(entry.resource, entry.name) };
}
