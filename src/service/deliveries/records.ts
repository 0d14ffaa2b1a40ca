import { type Selectable, sql } from 'kysely';
import type { Delivery, DeliveryRecord, DeliveryState } from '../../catalog/local/delivery.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { Database, Store } from '../store/store.ts';
import type { DeliveryForm, Tables } from '../store/tables.ts';
import { parseAttempts } from './attempts.ts';

export interface DeliveryDetail {
  readonly record: DeliveryRecord;
  readonly createdAt: number;
  /** Time of the next attempt. Undefined during an attempt and after the last one. */
  readonly nextAttempt: number | undefined;
  /** JSON. Undefined after the delivery succeeded. */
  readonly payload: string | undefined;
}

export type DeliveryRow = Selectable<Tables['deliveries']>;

export interface DeliveryFilter {
  readonly state?: DeliveryState | undefined;
  readonly endpointId?: string | undefined;
  readonly event?: string | undefined;
}

export function listDeliveries(
  store: Store,
  apiKey: string,
  { state, endpointId, event }: DeliveryFilter,
  limit: number,
): Promise<readonly DeliveryDetail[]> {
  return store.read(async (database) => {
    let query = database.selectFrom('deliveries').selectAll().where('apiKey', '=', apiKey);
    if (state !== undefined)
      query = query
        .where('state', '=', state)
        .where('dueAt', state === 'pending' ? 'is not' : 'is', null);
    if (event !== undefined) query = query.where('event', '=', event);
    if (endpointId !== undefined)
      query = query.where(({ eb, or }) =>
        or([eb('lane', '=', endpointId), eb('form', '=', sql<DeliveryForm>`${endpointId}`)]),
      );
    const rows = await query.orderBy('key', 'desc').limit(sql.lit(limit)).execute();
    return rows.map(detailOf);
  });
}

/** @throws SvcError `not_found` for the first ID that the API key does not have */
export function findDeliveries(
  store: Store,
  apiKey: string,
  ids: readonly string[],
): Promise<readonly DeliveryDetail[]> {
  return store.read(async (database) => {
    const found: DeliveryDetail[] = [];
    for (const id of ids) found.push(detailOf(await requireDelivery(database, apiKey, id)));
    return found;
  });
}

/** @throws SvcError `not_found` */
export async function requireDelivery(
  database: Database,
  apiKey: string,
  id: string,
): Promise<DeliveryRow> {
  const delivery = database
    .selectFrom('deliveries')
    .selectAll()
    .where('apiKey', '=', apiKey)
    .where('id', '=', id);
  const row = await delivery.executeTakeFirst();
  if (row) return row;
  throw new SvcError('not_found', `delivery '${id}' not found`, {
    hint: hint`${step('list', 'local', 'deliveries', 'list')} lists the deliveries`,
  });
}

export function detailOf(row: DeliveryRow): DeliveryDetail {
  const { id, form, lane, event, state, attempts, owner, dueAt, createdAt, payload } = row;
  return {
    record: {
      id,
      endpointId: form === 'advanced' ? lane : form,
      event,
      state,
      attempts: parseAttempts(attempts),
    },
    createdAt,
    nextAttempt: owner === null && dueAt !== null ? dueAt : undefined,
    payload: payload ?? undefined,
  };
}

/** Describes a delivery without its payload. */
export function describeDelivery({ record, createdAt, nextAttempt }: DeliveryDetail): Delivery {
  const next = nextAttempt === undefined ? null : new Date(nextAttempt).toISOString();
  return { ...record, createdAt: new Date(createdAt).toISOString(), nextAttempt: next };
}
