import { manifest, type OperationEntry } from './manifest.ts';

export type OperationOutline = Pick<
  OperationEntry,
  'name' | 'command' | 'summary' | 'version' | 'bulk'
>;

export const outline: readonly OperationOutline[] = manifest.map(
  ({ name, command, summary, version, bulk }) => ({
    name,
    command,
    summary,
    version,
    ...(bulk && { bulk }),
  }),
);
