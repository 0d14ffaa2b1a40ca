import { manifest, type OperationEntry } from './manifest.ts';

/** What the tree of commands shows of an operation. */
export type OperationOutline = Pick<OperationEntry, 'name' | 'command' | 'summary' | 'version' | 'bulk'>;

/** The operations in short. Like the manifest, the build writes it down; it is all that help of a group has to read. */
export const outline: readonly OperationOutline[] = manifest.map(({ name, command, summary, version, bulk }) => ({
  name,
  command,
  summary,
  version,
  ...(bulk && { bulk }),
}));
