import type { Column } from '../../catalog/define.ts';

export const FAULT_COLUMNS: readonly Column[] = [
  { header: 'NAME', field: 'name', kind: 'whole' },
  { header: 'ON', field: 'on' },
  { header: 'ORG', field: 'org', hideOrder: 1 },
  { header: 'WHEN', field: 'when' },
  { header: 'EFFECT', field: 'effect' },
];
