import type { Column } from '../../catalog/define.ts';

export const SNAPSHOT_COLUMNS: readonly Column[] = [
  { header: 'NAME', field: 'name', kind: 'whole' },
  { header: 'SAVED', field: 'savedAt', kind: 'time' },
  { header: 'SIZE', field: 'size', hideOrder: 1 },
  { header: 'ORGS', field: 'organizations', hideOrder: 3 },
  { header: 'USERS', field: 'users', hideOrder: 4 },
  { header: 'DOCUMENTS', field: 'documents', hideOrder: 2 },
];
