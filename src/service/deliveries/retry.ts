import { hint, SvcError, stepWithPlaceholder } from '../../kernel/errors.ts';
import type { Database, Store } from '../store/store.ts';
import { resolveDestination } from './destination.ts';
import { notifyOutboxChange } from './outbox-notifications.ts';
import {
  type DeliveryDetail,
  type DeliveryRow,
  detailOf,
  requireDelivery,
  selectDeliveries,
} from './records.ts';

type RetryScope = Readonly<{ apiKey: string; now: number }>;

/**
 * Makes deliveries due now, with the full number of attempts. On an error, changes none.
 * @throws SvcError `not_found` for an unknown ID; `failed_precondition` if a delivery has succeeded
 * or has no destination
 */
export async function retryDeliveries(
  store: Store,
  { apiKey, now }: RetryScope,
  ids: readonly string[],
): Promise<readonly DeliveryDetail[]> {
  const retried = await store.write(async (database) => {
    const details: DeliveryDetail[] = [];
    for (const id of new Set(ids)) {
      const delivery = await requireDelivery(database, apiKey, id);
      await rejectUndeliverable(database, delivery);
      details.push(detailOf(await scheduleNow(database, delivery, now)));
    }
    return details;
  });
  await notifyOutboxChange(store);
  return retried;
}

/**
 * Makes the deliveries due now whose last attempt failed.
 * @param endpointId only those to this endpoint (ID or uid), `raw`, or `processed`
 */
export async function retryFailures(
  store: Store,
  { apiKey, now }: RetryScope,
  endpointId?: string,
) {
  const result = await store.write(async (database) => {
    const failed = await selectDeliveries(database, apiKey, { state: 'failed', endpointId });
    const [retried, skipped] = [[] as DeliveryDetail[], new Map<string, number>()];
    for (const own of Map.groupBy(
      await failed.orderBy('key').execute(),
      ({ lane }) => lane,
    ).values()) {
      const [first] = own;
      const destination = first && (await resolveDestination(database, first));
      if (typeof destination === 'string')
        skipped.set(destination, (skipped.get(destination) ?? 0) + own.length);
      else
        for (const delivery of own)
          retried.push(detailOf(await scheduleNow(database, delivery, now)));
    }
    return { retried, skipped };
  });
  await notifyOutboxChange(store);
  return result;
}

async function rejectUndeliverable(database: Database, delivery: DeliveryRow): Promise<void> {
  const { id, state } = delivery;
  if (state === 'delivered') {
    throw new SvcError('failed_precondition', `delivery '${id}' has already succeeded`, {
      hint: hint`no delivery was changed; to send a new event, run ${stepWithPlaceholder('change', ['webhooks', 'send'], '<event> --via-service')}`,
    });
  }
  const destination = await resolveDestination(database, delivery);
  if (typeof destination !== 'string') return;
  throw new SvcError('failed_precondition', `delivery '${id}' cannot be sent: ${destination}`, {
    hint: 'no delivery was changed; enable the target, then try again',
  });
}

async function scheduleNow(
  database: Database,
  delivery: DeliveryRow,
  now: number,
): Promise<DeliveryRow> {
  if (delivery.owner !== null && delivery.dueAt !== null && delivery.dueAt > now) return delivery;
  const change = { state: 'pending', dueAt: now, tries: 0, owner: null } as const;
  await database.updateTable('deliveries').set(change).where('key', '=', delivery.key).execute();
  return { ...delivery, ...change };
}
