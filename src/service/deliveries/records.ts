import { type Selectable, sql } from 'kysely';
import type {
  Delivery,
  DeliveryRecord,
  DeliveryState,
  SelectableState,
} from '../../catalog/local/delivery.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import type { Database, Store } from '../store/store.ts';
import type { DeliveryForm, StoredDeliveryState, Tables } from '../store/tables.ts';
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
  readonly state?: SelectableState | undefined;
  /** ID or uid of an endpoint, `raw`, or `processed`. */
  readonly endpointId?: string | undefined;
  readonly event?: string | undefined;
}

/** @throws SvcError `not_found` for an endpoint that does not exist and has no deliveries */
export function listDeliveries(
  store: Store,
  apiKey: string,
  filter: DeliveryFilter,
  limit: number,
): Promise<readonly DeliveryDetail[]> {
  return store.read(async (database) => {
    const query = await selectDeliveries(database, apiKey, filter);
    const rows = await query.orderBy('key', 'desc').limit(sql.lit(limit)).execute();
    return rows.map(detailOf);
  });
}

/** Returns a query for deliveries. Throws like `listDeliveries`. */
export async function selectDeliveries(
  database: Database,
  apiKey: string,
  { state, endpointId, event }: DeliveryFilter,
) {
  let query = database.selectFrom('deliveries').selectAll().where('apiKey', '=', apiKey);
  if (state !== undefined) {
    query = query.where('state', 'in', STORED_STATES[state]);
    if (state === 'delivered' || state === 'exhausted') query = query.where('dueAt', 'is', null);
    if (state === 'pending') query = query.where('attempts', '=', '');
    if (state === 'retrying' || state === 'failed') query = query.where('attempts', '!=', '');
  }
  if (event !== undefined) query = query.where('event', '=', event);
  if (endpointId === undefined) return query;
  const lane = await findLane(database, apiKey, endpointId);
  return query.where(({ eb, or }) =>
    or([eb('lane', '=', lane), eb('form', '=', sql<DeliveryForm>`${endpointId}`)]),
  );
}

const STORED_STATES: Readonly<Record<SelectableState, readonly StoredDeliveryState[]>> = {
  pending: ['pending'],
  retrying: ['pending'],
  delivered: ['delivered'],
  exhausted: ['failed'],
  failed: ['pending', 'failed'],
};

/** Finds the lane of an endpoint by its ID or uid. A deleted endpoint is known by its deliveries. */
async function findLane(database: Database, apiKey: string, name: string): Promise<string> {
  if (name === 'raw' || name === 'processed') return name;
  const endpoint = await database
    .selectFrom('endpoints')
    .select('id')
    .where('apiKey', '=', apiKey)
    .where(({ eb, or }) => or([eb('id', '=', name), eb('uid', '=', name)]))
    .executeTakeFirst();
  if (endpoint) return endpoint.id;
  const delivery = await database
    .selectFrom('deliveries')
    .select('key')
    .where('apiKey', '=', apiKey)
    .where('lane', '=', name)
    .limit(1)
    .executeTakeFirst();
  if (delivery) return name;
  throw new SvcError('not_found', `endpoint '${name}' not found`, {
    hint: hint`to list the endpoints, run ${step('list', 'webhooks', 'endpoints', 'list', '--local')}`,
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
    hint: hint`to list the deliveries, run ${step('list', 'local', 'deliveries', 'list')}`,
  });
}

export function detailOf(row: DeliveryRow): DeliveryDetail {
  const { id, form, lane, event, state, attempts, owner, dueAt, createdAt, payload } = row;
  return {
    record: {
      id,
      endpointId: form === 'advanced' ? lane : form,
      event,
      state: stateOf(state, attempts),
      attempts: parseAttempts(attempts),
    },
    createdAt,
    nextAttempt: owner === null && dueAt !== null ? dueAt : undefined,
    payload: payload ?? undefined,
  };
}

function stateOf(state: StoredDeliveryState, attempts: string): DeliveryState {
  if (state === 'failed') return 'exhausted';
  return state === 'pending' && attempts !== '' ? 'retrying' : state;
}

/** Describes a delivery without its payload. */
export function describeDelivery({ record, createdAt, nextAttempt }: DeliveryDetail): Delivery {
  const next = nextAttempt === undefined ? null : new Date(nextAttempt).toISOString();
  return { ...record, createdAt: new Date(createdAt).toISOString(), nextAttempt: next };
}
