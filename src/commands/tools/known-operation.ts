import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { manifest, type OperationEntry } from '../../catalog/manifest.ts';

/** An operation of the catalog, and what the manifest says of it. */
export interface KnownOperation {
  readonly entry: OperationEntry;
  readonly operation: Operation;
}

/** The operation that a call of this path with this data is; none for a path that the catalog does not know. */
export async function operationAt(path: string, data: unknown): Promise<KnownOperation | undefined> {
  const atPath = manifest.filter((entry) => entry.path === path);
  const known = await Promise.all(
    atPath.map(async (entry) => ({ entry, operation: await loadOperation(entry.resource, entry.name) })),
  );
  const isMeant = ({ operation: { chosenBy } }: KnownOperation) =>
    chosenBy !== undefined && Object.hasOwn(Object(data), chosenBy);
  return known.find(isMeant) ?? known.find(({ operation }) => operation.chosenBy === undefined);
}
