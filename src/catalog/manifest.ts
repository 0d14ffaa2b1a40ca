import { type OperationEntry, serializedOperations } from './serialized-operations.ts';

export type { OperationEntry } from './serialized-operations.ts';

/** Every operation of the catalog. To read only one, parse its text in `serializedOperations`. */
export const manifest: readonly OperationEntry[] = Object.values(serializedOperations).map((text) =>
  JSON.parse(text),
);

/** Returns the operations at each path, including their aliases. */
export function groupByPath(): ReadonlyMap<string, readonly OperationEntry[]> {
  const byPath = new Map<string, OperationEntry[]>();
  for (const entry of manifest) {
    for (const path of [entry.path, ...(entry.aliases ?? [])])
      byPath.set(path, [...(byPath.get(path) ?? []), entry]);
  }
  return byPath;
}

/** Returns the entry of an operation that the catalog references by name. */
export function getEntry(operation: string): OperationEntry {
  const entry = manifest.find(({ name }) => name === operation);
  if (!entry) throw new TypeError(`unknown operation ${operation}`);
  return entry;
}

export function findEntryByCommand(words: readonly string[]): OperationEntry | undefined {
  const line = words.join(' ');
  return manifest.find(({ command }) => command.join(' ') === line);
}
