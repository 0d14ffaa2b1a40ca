import { manifest, type OperationEntry } from './manifest.ts';

export type OperationOutline = Pick<OperationEntry, 'name' | 'command' | 'summary' | 'version' | 'bulk'>;

/** Short descriptions of all operations, for the help of groups. The build replaces this module with the computed list. */
export const outline: readonly OperationOutline[] = manifest.map(({ name, command, summary, version, bulk }) => ({
  name,
  command,
  summary,
  version,
  ...(bulk && { bulk }),
}));
