import type { Column } from '../../catalog/define.ts';

export const PROFILE_COLUMNS: readonly Column[] = [
  { header: 'NAME', field: 'name', kind: 'whole' },
  { header: 'CURRENT', field: 'current', hideOrder: 5 },
  { header: 'BASE URL', field: 'baseUrl', kind: 'whole' },
  { header: 'API KEY', field: 'apiKey', kind: 'whole', hideOrder: 3 },
  { header: 'ORG', field: 'org', kind: 'whole', hideOrder: 2 },
  { header: 'PROTECTED', field: 'protected', hideOrder: 4 },
  { header: 'READ-ONLY', field: 'readOnly', hideOrder: 6 },
  { header: 'APPROVALS', field: 'approvals', hideOrder: 7 },
  { header: 'SECRETS', field: 'secrets', hideOrder: 1 },
];

export const STATUS_COLUMNS: readonly Column[] = [
  { header: 'SETTING', field: 'setting', kind: 'whole' },
  { header: 'VALUE', field: 'value', kind: 'whole' },
  { header: 'SOURCE', field: 'source' },
];
