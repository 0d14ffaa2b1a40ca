import { type Selectable, sql } from 'kysely';
import { SvcError } from '../../kernel/errors.ts';
import { hint, step } from '../../kernel/hint.ts';
import type { DeliveryForm, DeliveryState } from '../store/delivery-tables.ts';
import type { Database, Store } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { type Attempt, attemptsOf } from './attempts.ts';

/** A delivery as it is shown. */
export interface DeliveryRecord {
  readonly id: string;
  /** The endpoint, or of basic webhooks `raw` or `processed`, after the URL that it goes to. */
  readonly endpointId: string;
  readonly event: string;
  readonly state: DeliveryState;
  readonly attempts: readonly Attempt[];
}

/** What is known of a delivery beside its record. */
export interface DeliveryDetail {
  readonly record: DeliveryRecord;
  readonly createdAt: number;
  /** When the next attempt is made; undefined while one is under way, and after the last. */
  readonly nextAttempt: number | undefined;
  /** The JSON of its payload, until it was delivered. */
  readonly payload: string | undefined;
}

export type DeliveryRow = Selectable<Tables['deliveries']>;

export interface Filter {
  readonly state?: DeliveryState | undefined;
  readonly endpointId?: string | undefined;
  readonly event?: string | undefined;
}

/** Deliveries of an API key, the newest first. */
export function listDeliveries(
  store: Store,
  apiKey: string,
  { state, endpointId, event }: Filter,
  limit: number,
): Promise<readonly DeliveryDetail[]> {
  return store.read(async (database) => {
    let query = database.selectFrom('deliveries').selectAll().where('apiKey', '=', apiKey);
    if (state !== undefined) {
      query = query.where('state', '=', state).where('dueAt', state === 'pending' ? 'is not' : 'is', null);
    }
    if (event !== undefined) query = query.where('event', '=', event);
    if (endpointId !== undefined) {
      query = query.where(({ eb, or }) =>
        or([eb('lane', '=', endpointId), eb('form', '=', sql<DeliveryForm>`${endpointId}`)]),
      );
    }
    const rows = await query.orderBy('key', 'desc').limit(sql.lit(limit)).execute();
    return rows.map(detailOf);
  });
}

/**
 * Deliveries by their ids.
 * @throws SvcError `not_found` for the first id that the API key has no delivery of
 */
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
export async function requireDelivery(database: Database, apiKey: string, id: string): Promise<DeliveryRow> {
  const row = await database
    .selectFrom('deliveries')
    .selectAll()
    .where('apiKey', '=', apiKey)
    .where('id', '=', id)
    .executeTakeFirst();
  if (row) return row;
  throw new SvcError('not_found', `there is no delivery '${id}'`, {
    hint: hint`${step('list', 'local', 'deliveries', 'list')} shows them`,
  });
}

export function detailOf(row: DeliveryRow): DeliveryDetail {
  const { id, form, lane, event, state, attempts, owner, dueAt, createdAt, payload } = row;
  return {
    record: { id, endpointId: form === 'advanced' ? lane : form, event, state, attempts: attemptsOf(attempts) },
    createdAt,
    nextAttempt: owner === null && dueAt !== null ? dueAt : undefined,
    payload: payload ?? undefined,
  };
}
