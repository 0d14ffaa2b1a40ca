import type { Column } from '../../catalog/define.ts';

/** Number of commands to show by default. */
export const DEFAULT_LIMIT = 50;

export const HISTORY_COLUMNS: readonly Column[] = [
  { header: 'AT', field: 'at', kind: 'time' },
  { header: 'PROFILE', field: 'profile', hideOrder: 8 },
  { header: 'HOST', field: 'host', hideOrder: 7 },
  { header: 'COMMAND', field: 'command' },
  { header: 'IDS', field: 'ids', hideOrder: 6 },
  { header: 'OUTCOME', field: 'outcome', kind: 'state' },
  { header: 'EXIT', field: 'exitCode', hideOrder: 4 },
  { header: 'SECONDS', field: 'seconds', hideOrder: 5 },
  { header: 'UNDO', field: 'undo', hideOrder: 3 },
  { header: 'USER', field: 'user', hideOrder: 2 },
  { header: 'AGENT (SELF-REPORTED)', field: 'agent', hideOrder: 1 },
];
