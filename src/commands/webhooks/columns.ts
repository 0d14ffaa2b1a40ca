import type { Column } from '../../catalog/define.ts';

export const EVENT_COLUMNS: readonly Column[] = [
  { header: 'EVENT', field: 'event', kind: 'whole' },
  { header: 'GROUP', field: 'group', hideOrder: 2 },
  { header: 'ON BY DEFAULT', field: 'onByDefault', hideOrder: 3 },
  { header: 'EMAIL', field: 'email', hideOrder: 1 },
  { header: 'WHEN', field: 'describes' },
];

export const RECORDED_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'EVENT', field: 'event' },
  { header: 'FORM', field: 'form', hideOrder: 1 },
  { header: 'RECEIVED', field: 'receivedAt', kind: 'time', hideOrder: 2 },
];

export const REPLAYED_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'EVENT', field: 'event', hideOrder: 3 },
  { header: 'RECEIVED', field: 'receivedAt', kind: 'time', hideOrder: 1 },
  { header: 'TARGET', field: 'url', hideOrder: 2 },
  { header: 'STATUS', field: 'status' },
  { header: 'ERROR', field: 'error' },
];
