import type { Column } from '../../catalog/define.ts';

export const JOB_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'OPERATION', field: 'operation', kind: 'operation', hideOrder: 7 },
  { header: 'STATE', field: 'state', kind: 'state' },
  { header: 'INPUT', field: 'input', hideOrder: 4 },
  { header: 'TOTAL', field: 'total', kind: 'count', hideOrder: 5 },
  { header: 'SUCCEEDED', field: 'succeeded', kind: 'count', hideOrder: 6 },
  { header: 'FAILED', field: 'failed', kind: 'count' },
  { header: 'UNKNOWN', field: 'unknown', kind: 'count', hideOrder: 2 },
  { header: 'SKIPPED', field: 'skipped', kind: 'count', hideOrder: 1 },
  { header: 'STARTED', field: 'startedAt', kind: 'time', hideOrder: 3 },
];

/** Columns of the table, which separates records that exist from those that were not sent. */
export const JOB_TABLE_COLUMNS: readonly Column[] = JOB_COLUMNS.flatMap((column) =>
  column.field === 'skipped'
    ? [
        { header: 'SKIPPED', field: 'existing', kind: 'count', hideOrder: 1 } as const,
        { header: 'NOT SENT', field: 'notSent', kind: 'count', hideOrder: 1 } as const,
      ]
    : [column],
);
