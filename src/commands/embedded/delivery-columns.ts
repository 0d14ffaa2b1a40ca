import type { Column } from '../../catalog/define.ts';

export const DELIVERY_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'EVENT', field: 'event', hideOrder: 5 },
  { header: 'ENDPOINT', field: 'endpointId', kind: 'whole', hideOrder: 1 },
  { header: 'STATE', field: 'state', kind: 'state' },
  { header: 'ATTEMPTS', field: 'attempts', hideOrder: 3 },
  { header: 'LAST', field: 'last', hideOrder: 4 },
  { header: 'NEXT ATTEMPT', field: 'nextAttempt', kind: 'time', hideOrder: 2 },
];
