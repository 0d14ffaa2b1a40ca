import { type Selectable, sql } from 'kysely';
import type {
  Delivery,
  DeliveryAttempt,
  DeliveryFailure,
  DeliveryRecord,
  DeliveryState,
  ReceiverHealth,
  SelectableState,
} from '../../catalog/local/delivery.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { chunkRows, prepareSelect } from '../store/statements.ts';
import type { Database, Store } from '../store/store.ts';
import type { DeliveryForm, StoredDeliveryState, Tables } from '../store/tables.ts';
import type { AttemptResult } from './http-sender.ts';
import { endpointIdOf } from './subscriptions.ts';

export interface DeliveryDetail {
  readonly record: DeliveryRecord;
  readonly createdAt: number;
  /** Time of the next attempt. Undefined during an attempt and after the last one. */
  readonly nextAttempt: number | undefined;
  /** JSON. Undefined for a success that an older svc recorded. */
  readonly payload: string | undefined;
}

export type DeliveryRow = Selectable<Tables['deliveries']>;

export interface DeliveryFilter {
  readonly state?: SelectableState | undefined;
  /** ID or uid of an endpoint, `raw`, or `processed`. */
  readonly endpointId?: string | undefined;
  readonly event?: string | undefined;
  /** Why the last attempt failed. */
  readonly reason?: string | undefined;
  /** Bounds of the time at which the event was recorded, inclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
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
    return toDetails(database, rows);
  });
}

/** Returns a query for deliveries. Throws like `listDeliveries`. */
export async function selectDeliveries(
  database: Database,
  apiKey: string,
  { state, endpointId, event, reason, since, until }: DeliveryFilter,
) {
  let query = database.selectFrom('deliveries').selectAll().where('apiKey', '=', apiKey);
  if (state !== undefined) {
    query = query.where('state', 'in', STORED_STATES[state]);
    if (state === 'delivered' || state === 'exhausted') query = query.where('dueAt', 'is', null);
    if (state === 'pending') query = query.where('reason', 'is', null);
    if (state === 'retrying' || state === 'failed') query = query.where('reason', 'is not', null);
  }
  if (event !== undefined) query = query.where('event', '=', event);
  if (reason !== undefined)
    query = query
      .where('reason', '=', sql<DeliveryFailure>`${reason}`)
      .where('state', '!=', 'delivered');
  if (since !== undefined) query = query.where('createdAt', '>=', since);
  if (until !== undefined) query = query.where('createdAt', '<=', until);
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
    const found: DeliveryRow[] = [];
    for (const id of ids) found.push(await requireDelivery(database, apiKey, id));
    return toDetails(database, found);
  });
}

/**
 * Finds a delivery by its ID, or by the end of it, as lists show it. `last` is the latest delivery.
 * @throws SvcError `not_found`
 */
export async function requireDelivery(
  database: Database,
  apiKey: string,
  id: string,
): Promise<DeliveryRow> {
  const all = database.selectFrom('deliveries').selectAll().where('apiKey', '=', apiKey);
  const row = await all.where('id', '=', id).executeTakeFirst();
  if (row) return row;
  const latest = all.orderBy('key', 'desc');
  if (id === 'last') {
    const last = await latest.limit(sql.lit(1)).executeTakeFirst();
    if (last) return last;
  }
  const [, end] = /^(?:…|\.\.\.)?([0-9A-Za-z]{6,})$/.exec(id) ?? [];
  if (end !== undefined) {
    const similar = await latest.where('id', 'like', `%${end}`).limit(sql.lit(2)).execute();
    const [found, ...others] = similar.filter((each) => each.id.endsWith(end));
    if (found && others.length === 0) return found;
  }
  throw new SvcError('not_found', `delivery '${id}' not found`, {
    hint: hint`to list the deliveries, run ${step('list', 'local', 'deliveries', 'list')}`,
  });
}

/**
 * Describes deliveries, with the uids of their endpoints, which they do not contain because a uid can
 * change.
 */
export async function toDetails(
  database: Database,
  rows: readonly DeliveryRow[],
): Promise<readonly DeliveryDetail[]> {
  const ids = [...new Set(rows.map(endpointIdOf))];
  const uids = new Map<string, string | null>();
  for (const chunk of chunkRows(ids))
    for (const { id, uid } of await selectUids(database, { id: chunk })) uids.set(id, uid);
  return rows.map((row) => toDetail(row, uids));
}

function toDetail(row: DeliveryRow, uids: ReadonlyMap<string, string | null>): DeliveryDetail {
  const endpointId = endpointIdOf(row);
  const { id, event, state, reason, attempts, createdAt, payload } = row;
  const { owner, dueAt, retryPeriod } = row;
  const nextAttempt = owner === null && dueAt !== null ? dueAt : undefined;
  const hasEnd = nextAttempt !== undefined && retryPeriod !== null;
  return {
    record: {
      id,
      endpointId,
      endpointUid: uids.get(endpointId) ?? null,
      event,
      state: stateOf(state, reason),
      reason: state === 'delivered' ? null : reason,
      nextAttempt: formatTime(nextAttempt),
      givesUpAt: formatTime(hasEnd ? nextAttempt + retryPeriod : undefined),
      attempts: parseAttempts(attempts),
    },
    createdAt,
    nextAttempt,
    payload: payload ?? undefined,
  };
}

function formatTime(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString();
}

const selectUids = prepareSelect('endpoints', ['id', 'uid']);

/**
 * Counts the receivers that fail, which are the endpoints whose last attempt failed. Basic webhooks
 * count if one of the given deliveries is to them.
 */
export async function readReceiverHealth(
  store: Store,
  apiKey: string,
  deliveries: readonly DeliveryDetail[],
): Promise<ReceiverHealth> {
  const endpoints = await store.read((database) =>
    database
      .selectFrom('endpoints')
      .select(['failingSince', 'failingReason'])
      .where('apiKey', '=', apiKey)
      .execute(),
  );
  const basic = ['raw', 'processed'].flatMap((form) => {
    const attempted = deliveries.find(
      ({ record }) => record.endpointId === form && record.attempts.length > 0,
    );
    return attempted?.record ?? [];
  });
  const reasons = [
    ...endpoints.map(({ failingSince, failingReason }) =>
      failingSince === null ? undefined : (failingReason ?? 'other'),
    ),
    ...basic.map(({ state, reason }) => (state === 'delivered' ? undefined : (reason ?? 'other'))),
  ];
  const failing = reasons.filter((reason) => reason !== undefined);
  const counts = [...Map.groupBy(failing, (reason) => reason)].map(
    ([reason, { length }]) => [reason, length] as const,
  );
  return { total: reasons.length, failing: Object.fromEntries(counts) };
}

function stateOf(state: StoredDeliveryState, reason: DeliveryFailure | null): DeliveryState {
  if (state === 'failed') return 'exhausted';
  return state === 'pending' && reason !== null ? 'retrying' : state;
}

/** Describes a delivery without its payload. */
export function describeDelivery({ record, createdAt }: DeliveryDetail): Delivery {
  return { ...record, createdAt: new Date(createdAt).toISOString() };
}

/**
 * Formats an attempt as a line of JSON. Appending a line does not require reading the earlier
 * attempts.
 */
export function formatAttempt(
  at: number,
  { status, error, reason, milliseconds, body }: AttemptResult,
): string {
  const time = new Date(at).toISOString();
  const attempt = {
    at: time,
    status,
    error,
    // Most attempts have no reason and no body, and `parseAttempts` adds them.
    ...(reason !== null && { reason }),
    ...(milliseconds !== null && { milliseconds }),
    ...(body !== null && { body }),
  };
  return `${JSON.stringify(attempt)}\n`;
}

/** Parses the attempts of a delivery. Attempts of an older svc have fewer fields. */
function parseAttempts(lines: string): DeliveryAttempt[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => ({ ...NOT_RECORDED, ...JSON.parse(line) }));
}

const NOT_RECORDED = {
  at: '',
  status: null,
  error: null,
  reason: null,
  milliseconds: null,
  body: null,
};
