import type { Column } from '../../catalog/define.ts';

export const HISTORY_COLUMNS: readonly Column[] = [
  { header: 'AT', field: 'at', kind: 'time' },
  { header: 'PROFILE', field: 'profile', hideOrder: 5 },
  { header: 'HOST', field: 'host', hideOrder: 3 },
  { header: 'COMMAND', field: 'command' },
  { header: 'IDS', field: 'ids', hideOrder: 4 },
  { header: 'OUTCOME', field: 'outcome', kind: 'state' },
  { header: 'EXIT', field: 'exitCode', hideOrder: 1 },
  { header: 'SECONDS', field: 'seconds', hideOrder: 2 },
  { header: 'UNDO', field: 'undo', hideOrder: 6 },
  { header: 'USER', field: 'user', hideOrder: 7 },
  { header: 'AGENT (SELF-REPORTED)', field: 'agent', hideOrder: 8 },
];
