import type { FailedState } from '../../catalog/local/delivery.ts';
import { hint, SvcError, stepWithPlaceholder } from '../../kernel/errors.ts';
import type { Database, Store } from '../store/store.ts';
import { type DeliveryDestination, type LaneRef, resolveDestination } from './destination.ts';
import {
  type DeliveryDetail,
  type DeliveryFilter,
  type DeliveryRow,
  requireDelivery,
  selectDeliveries,
  toDetails,
} from './records.ts';
import { endpointIdOf } from './subscriptions.ts';
import { notifyOutboxChange } from './wakeup.ts';

type RetryScope = Readonly<{ apiKey: string; now: number }>;

/**
 * Makes deliveries due now, with the full number of attempts, also those that have succeeded. On an
 * error, changes none.
 * @throws SvcError `not_found` for an unknown ID; `failed_precondition` if a delivery has no payload
 * or no destination
 */
export async function retryDeliveries(
  store: Store,
  { apiKey, now }: RetryScope,
  ids: readonly string[],
): Promise<readonly DeliveryDetail[]> {
  const retried = await store.write(async (database) => {
    const found = new Map<number, DeliveryRow>();
    for (const id of ids) {
      const delivery = await requireDelivery(database, apiKey, id);
      found.set(delivery.key, delivery);
    }
    const scheduled: DeliveryRow[] = [];
    for (const delivery of found.values()) {
      await rejectUndeliverable(database, delivery);
      scheduled.push(await scheduleNow(database, delivery, now));
    }
    return toDetails(database, scheduled);
  });
  await notifyOutboxChange(store);
  return retried;
}

/** Selects failed deliveries for a retry: those whose last attempt failed. */
export interface RetryFilter extends DeliveryFilter {
  readonly state: FailedState;
}

/** The deliveries that a filter selects. `skipped` counts those without a target by the reason. */
export interface RetryPlan {
  readonly count: number;
  readonly endpointIds: readonly string[];
  readonly skipped: ReadonlyMap<string, number>;
}

/** Counts the deliveries that a filter selects. Throws like `listDeliveries`. */
export function planRetry(store: Store, apiKey: string, filter: RetryFilter): Promise<RetryPlan> {
  return store.read(async (database) => {
    const query = await selectDeliveries(database, apiKey, filter);
    // Without the payloads, which only the retry needs.
    const lanes = query.clearSelect().select(['apiKey', 'form', 'lane']);
    const rows = await lanes.orderBy('key').execute();
    const { deliverable, skipped } = await splitByDestination(database, rows);
    const endpointIds = new Set(deliverable.map(endpointIdOf));
    return { count: deliverable.length, endpointIds: [...endpointIds], skipped };
  });
}

/** Makes the deliveries due now that a filter selects, in their order. Throws like `listDeliveries`. */
export async function retryFailures(
  store: Store,
  { apiKey, now }: RetryScope,
  filter: RetryFilter,
): Promise<readonly DeliveryDetail[]> {
  const retried = await store.write(async (database) => {
    const query = await selectDeliveries(database, apiKey, filter);
    const rows = await query.orderBy('key').execute();
    const { deliverable } = await splitByDestination(database, rows);
    const scheduled: DeliveryRow[] = [];
    for (const delivery of deliverable) scheduled.push(await scheduleNow(database, delivery, now));
    return toDetails(database, scheduled);
  });
  await notifyOutboxChange(store);
  return retried;
}

/** Separates the deliveries that have a target from the others. */
async function splitByDestination<Row extends LaneRef>(
  database: Database,
  deliveries: readonly Row[],
) {
  const destinations = new Map<string, DeliveryDestination | string>();
  const skipped = new Map<string, number>();
  const deliverable: Row[] = [];
  for (const delivery of deliveries) {
    const { lane } = delivery;
    const destination = destinations.get(lane) ?? (await resolveDestination(database, delivery));
    destinations.set(lane, destination);
    if (typeof destination !== 'string') deliverable.push(delivery);
    else skipped.set(destination, (skipped.get(destination) ?? 0) + 1);
  }
  return { deliverable, skipped };
}

async function rejectUndeliverable(database: Database, delivery: DeliveryRow): Promise<void> {
  const { id, payload } = delivery;
  if (payload === null) {
    const problem = `delivery '${id}' has succeeded, and its payload was not kept`;
    throw new SvcError('failed_precondition', problem, {
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
  const change = {
    state: 'pending',
    dueAt: now,
    tries: 0,
    owner: null,
    retryPeriod: null,
  } as const;
  await database.updateTable('deliveries').set(change).where('key', '=', delivery.key).execute();
  return { ...delivery, ...change };
}
