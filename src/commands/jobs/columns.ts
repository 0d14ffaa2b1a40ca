import type { Column } from '../../catalog/define.ts';

export const JOB_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'OPERATION', field: 'operation', kind: 'operation', hideOrder: 7 },
  { header: 'STATE', field: 'state', kind: 'state' },
  { header: 'INPUT', field: 'input', hideOrder: 4 },
  { header: 'TOTAL', field: 'total', hideOrder: 5 },
  { header: 'SUCCEEDED', field: 'succeeded', hideOrder: 6 },
  { header: 'FAILED', field: 'failed' },
  { header: 'UNKNOWN', field: 'unknown', hideOrder: 2 },
  { header: 'SKIPPED', field: 'skipped', hideOrder: 1 },
  { header: 'STARTED', field: 'startedAt', kind: 'time', hideOrder: 3 },
];
