import { manifest, type OperationEntry } from './manifest.ts';

/** The parts of an operation that the command tree shows. */
export type OperationOutline = Pick<OperationEntry, 'name' | 'command' | 'summary' | 'version' | 'bulk'>;

/** Short descriptions of all operations, enough for the help of a group. The build replaces this module with the value. */
export const outline: readonly OperationOutline[] = manifest.map(({ name, command, summary, version, bulk }) => ({
  name,
  command,
  summary,
  version,
  ...(bulk && { bulk }),
}));
