import type { Column } from '../../catalog/define.ts';

export const REQUEST_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'TIME', field: 'time', kind: 'time', hideOrder: 2 },
  { header: 'OPERATION', field: 'operation' },
  { header: 'ORG', field: 'org', hideOrder: 1 },
  { header: 'STATUS', field: 'status' },
  { header: 'ERROR', field: 'error', hideOrder: 5 },
  { header: 'MS', field: 'ms', hideOrder: 3 },
  { header: 'RECORDS', field: 'records', hideOrder: 4 },
  { header: 'FAULT', field: 'fault' },
];

export const FAULT_COLUMNS: readonly Column[] = [
  { header: 'NAME', field: 'name', kind: 'whole' },
  { header: 'ON', field: 'on' },
  { header: 'ORG', field: 'org', hideOrder: 1 },
  { header: 'WHEN', field: 'when' },
  { header: 'EFFECT', field: 'effect' },
];
