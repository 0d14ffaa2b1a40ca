import { manifestTexts } from './manifest-texts.ts';
import type { OperationEntry } from './operation-entry.ts';

export type { OperationEntry } from './operation-entry.ts';

/** Every operation of the catalog. Who needs one alone reads its text. */
export const manifest: readonly OperationEntry[] = Object.values(manifestTexts).map((text) => JSON.parse(text));

/** The entry of an operation that the catalog names somewhere else. */
export function entryNamed(operation: string): OperationEntry {
  const entry = manifest.find(({ name }) => name === operation);
  if (!entry) throw new TypeError(`there is no operation ${operation}`);
  return entry;
}

/** The entry that the words of a command mean, in the version that is meant where none is told. */
export function entryOfCommand(words: readonly string[]): OperationEntry | undefined {
  const line = words.join(' ');
  return manifest.find(({ command }) => command.join(' ') === line);
}
