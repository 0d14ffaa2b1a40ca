import { SvcError } from '../../kernel/errors.ts';
import { hint, template } from '../../kernel/hint.ts';
import type { Database, Store } from '../store/store.ts';
import { announce } from './bell.ts';
import { destinationOf } from './destination.ts';
import { type DeliveryDetail, type DeliveryRow, detailOf, requireDelivery } from './records.ts';

interface Asking {
  readonly apiKey: string;
  readonly now: number;
}

/**
 * Makes deliveries due at once, with all their attempts before them again: all of them, or none.
 * @throws SvcError `not_found` for an unknown id; `failed_precondition` for what was delivered, or has a target that
 * takes nothing
 */
export async function retryDeliveries(
  store: Store,
  { apiKey, now }: Asking,
  ids: readonly string[],
): Promise<readonly DeliveryDetail[]> {
  const retried = await store.write(async (database) => {
    const details: DeliveryDetail[] = [];
    for (const id of new Set(ids)) {
      const delivery = await requireDelivery(database, apiKey, id);
      await refuseHopeless(database, delivery);
      details.push(detailOf(await makeDue(database, delivery, now)));
    }
    return details;
  });
  await announce(store);
  return retried;
}

export interface RetriedFailures {
  readonly retried: readonly DeliveryDetail[];
  /** How many were left as they are for which reason. */
  readonly left: ReadonlyMap<string, number>;
}

/** Makes every failed delivery of an API key due at once whose target takes something. */
export async function retryFailures(store: Store, { apiKey, now }: Asking): Promise<RetriedFailures> {
  const result = await store.write(async (database) => {
    const failed = database
      .selectFrom('deliveries')
      .selectAll()
      .where('dueAt', 'is', null)
      .where('state', '=', 'failed')
      .where('apiKey', '=', apiKey);
    const [retried, left] = [[] as DeliveryDetail[], new Map<string, number>()];
    for (const own of Map.groupBy(await failed.orderBy('key').execute(), ({ lane }) => lane).values()) {
      const [first] = own;
      const destination = first && (await destinationOf(database, first));
      if (typeof destination === 'string') left.set(destination, (left.get(destination) ?? 0) + own.length);
      else for (const delivery of own) retried.push(detailOf(await makeDue(database, delivery, now)));
    }
    return { retried, left };
  });
  await announce(store);
  return result;
}

async function refuseHopeless(database: Database, delivery: DeliveryRow): Promise<void> {
  const { id, state } = delivery;
  if (state === 'delivered') {
    throw new SvcError('failed_precondition', `delivery '${id}' was delivered already`, {
      hint: hint`nothing was changed; ${template('change', ['webhooks', 'send'], '<event> --via-service')} sends an event anew`,
    });
  }
  const destination = await destinationOf(database, delivery);
  if (typeof destination !== 'string') return;
  throw new SvcError('failed_precondition', `delivery '${id}' cannot be sent: ${destination}`, {
    hint: 'nothing was changed; enable its target first, and run the command again',
  });
}

/** One that is being sent right now goes on as it is. */
async function makeDue(database: Database, delivery: DeliveryRow, now: number): Promise<DeliveryRow> {
  if (delivery.owner !== null && delivery.dueAt !== null && delivery.dueAt > now) return delivery;
  const change = { state: 'pending', dueAt: now, tries: 0, owner: null } as const;
  await database.updateTable('deliveries').set(change).where('key', '=', delivery.key).execute();
  return { ...delivery, ...change };
}
