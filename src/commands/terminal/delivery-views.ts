import {
  DELIVERY_COLUMNS,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryRecord,
} from '../../catalog/local/delivery.ts';
import type { ResultShape } from '../../output/printer.ts';

/** Selects the fields that programs read. */
export function toRecord({ id, endpointId, event, state, attempts }: Delivery): DeliveryRecord {
  return { id, endpointId, event, state, attempts };
}

export function deliveryTable(deliveries: readonly Delivery[]): ResultShape {
  const rows = deliveries.map((delivery) => ({
    ...delivery,
    attempts: delivery.attempts.length,
    last: attemptOutcome(delivery.attempts.at(-1)),
  }));
  return { table: { rows, columns: DELIVERY_COLUMNS } };
}

/** Shows deliveries as lists of fields. Each attempt is a field. */
export function deliveryLists(deliveries: readonly Delivery[]): ResultShape {
  return {
    renderText: async (view) => {
      const { createTableRenderer } = await import('../../output/table.ts');
      const { value } = await createTableRenderer(view);
      return (await Promise.all(deliveries.map(async (each) => value(listFields(each))))).join(
        '\n',
      );
    },
  };
}

function listFields(delivery: Delivery): object {
  const { createdAt, nextAttempt, payload = null } = delivery;
  const { attempts, ...shown } = toRecord(delivery);
  const tries = attempts.map((attempt, index) => [
    `attempt ${index + 1}`,
    `${attempt.at}  ${attemptOutcome(attempt)}`,
  ]);
  return {
    ...shown,
    recorded: createdAt,
    ...Object.fromEntries(tries),
    ...(nextAttempt !== null && { 'next attempt': nextAttempt }),
    ...(payload !== null && { payload: JSON.stringify(payload) }),
  };
}

function attemptOutcome(attempt: DeliveryAttempt | undefined): string {
  return [attempt?.status, attempt?.error]
    .filter((part) => part !== null && part !== undefined)
    .join(' ');
}
