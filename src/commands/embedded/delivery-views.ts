import type { Column } from '../../catalog/define.ts';
import type { ResultShape } from '../../output/printer.ts';
import type { DeliveryAttempt } from '../../service/deliveries/attempts.ts';
import type { DeliveryDetail } from '../../service/deliveries/records.ts';

export const DELIVERY_COLUMNS: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'EVENT', field: 'event', hideOrder: 5 },
  { header: 'ENDPOINT', field: 'endpointId', kind: 'whole', hideOrder: 1 },
  { header: 'STATE', field: 'state', kind: 'state' },
  { header: 'ATTEMPTS', field: 'attempts', hideOrder: 3 },
  { header: 'LAST', field: 'last', hideOrder: 4 },
  { header: 'NEXT ATTEMPT', field: 'nextAttempt', kind: 'time', hideOrder: 2 },
];

export function deliveryTable(details: readonly DeliveryDetail[]): ResultShape {
  const rows = details.map(({ record, nextAttempt }) => ({
    ...record,
    attempts: record.attempts.length,
    last: attemptOutcome(record.attempts.at(-1)),
    nextAttempt,
  }));
  return { table: { rows, columns: DELIVERY_COLUMNS } };
}

/** Shows deliveries as lists of fields. Each attempt is a field. */
export function deliveryLists(details: readonly DeliveryDetail[]): ResultShape {
  return {
    renderText: async (view) => {
      const { createTableRenderer } = await import('../../output/table.ts');
      const { value } = await createTableRenderer(view);
      return (await Promise.all(details.map(async (detail) => value(listFields(detail))))).join(
        '\n',
      );
    },
  };
}

function listFields({ record, createdAt, nextAttempt, payload }: DeliveryDetail): object {
  const { attempts, ...shown } = record;
  const tries = attempts.map((attempt, index) => [
    `attempt ${index + 1}`,
    `${attempt.at}  ${attemptOutcome(attempt)}`,
  ]);
  return {
    ...shown,
    recorded: new Date(createdAt).toISOString(),
    ...Object.fromEntries(tries),
    ...(nextAttempt !== undefined && { 'next attempt': new Date(nextAttempt).toISOString() }),
    ...(payload !== undefined && { payload }),
  };
}

function attemptOutcome(attempt: DeliveryAttempt | undefined): string {
  return [attempt?.status, attempt?.error]
    .filter((part) => part !== null && part !== undefined)
    .join(' ');
}
