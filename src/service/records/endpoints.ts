import { type Insertable, type Selectable, sql } from 'kysely';
import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../call.ts';
import { Refusal } from '../refusal.ts';
import { prepared } from '../store/prepared.ts';
import type { Tables } from '../store/tables.ts';

export type Endpoint = Selectable<Tables['endpoints']>;

type Given = Omit<z.output<Operations['webhooks.endpoints.update']['input']>, 'endpointId'>;

interface Stretch {
  readonly apiKey: string;
  /** The endpoint that the stretch begins behind. */
  readonly from?: number | undefined;
  readonly towards: 'older' | 'newer';
}

/** Endpoints one after the other in one direction, the nearest first. */
export function selectStretch({ database }: KeyCall, { towards, ...stretch }: Stretch, limit: number) {
  const select = towards === 'older' ? selectOlder : selectNewer;
  return select(database, { ...stretch, limit: BigInt(limit) });
}

interface StretchQuery extends Omit<Stretch, 'towards'> {
  readonly limit: bigint;
}

const selectOlder = prepared((database, { apiKey, from, limit }: StretchQuery) => {
  const all = database.selectFrom('endpoints').selectAll().where('apiKey', '=', apiKey);
  const older = from === undefined ? all : all.where('key', '<', from);
  return older.orderBy('key', 'desc').limit(sql.lit(limit));
});

const selectNewer = prepared((database, { apiKey, from = 0, limit }: StretchQuery) =>
  database
    .selectFrom('endpoints')
    .selectAll()
    .where('apiKey', '=', apiKey)
    .where('key', '>', from)
    .orderBy('key')
    .limit(sql.lit(limit)),
);

const selectEndpoint = prepared((database, { apiKey, id }: { readonly apiKey: string; readonly id: string }) =>
  database.selectFrom('endpoints').selectAll().where('apiKey', '=', apiKey).where('id', '=', id),
);

/** @throws Refusal NOT_FOUND where the caller has no such endpoint. */
export async function requireEndpoint({ database, apiKey }: KeyCall, id: string): Promise<Endpoint> {
  const [found] = await selectEndpoint(database, { apiKey, id });
  if (!found) throw new Refusal('NOT_FOUND', 'Advanced webhook provider request failed.');
  return found;
}

/** The settings that were given, as columns. */
export function columnsOf({ filterTypes, channels, disabled, metadata, ...others }: Given) {
  const columns: Partial<Insertable<Tables['endpoints']>> = {
    ...(filterTypes && { filterTypes: JSON.stringify(filterTypes) }),
    ...(channels && { channels: JSON.stringify(channels) }),
    ...(disabled !== undefined && { disabled: disabled ? 1 : 0 }),
    ...(metadata && { metadata: JSON.stringify(metadata) }),
  };
  return Object.assign(columns, others);
}

/** An endpoint as replies show it: what is unset is null, and its metadata and secret stay here. */
export function endpointRecord(endpoint: Endpoint) {
  const { id, url, description, rateLimit, uid } = endpoint;
  return {
    id,
    url,
    description,
    filterTypes: listOf(endpoint.filterTypes),
    channels: listOf(endpoint.channels),
    disabled: endpoint.disabled === 1,
    rateLimit,
    uid,
    createdAt: new Date(endpoint.createdAt).toISOString(),
    updatedAt: new Date(endpoint.updatedAt).toISOString(),
  };
}

function listOf(json: string | null): string[] | null {
  return json === null ? null : JSON.parse(json);
}
