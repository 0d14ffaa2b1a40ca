import { type Insertable, type Selectable, sql } from 'kysely';
import type * as z from 'zod/mini';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall, KeyScope } from '../calls/call.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { Refusal } from '../store/refusal.ts';
import type { Tables } from '../store/tables.ts';
import { requireAdvancedWebhooks } from './configs.ts';

export type Endpoint = Selectable<Tables['endpoints']>;
type EndpointSettings = Omit<
  z.output<Operations['webhooks.endpoints.update']['input']>,
  'endpointId'
>;

interface EndpointPage {
  readonly apiKey: string;
  /** Key of the last endpoint on the previous page. Undefined for the first page. */
  readonly afterKey?: number | undefined;
  readonly isOlder: boolean;
  readonly limit: bigint;
}

export const selectEndpointPage = prepareQuery(
  (database, { apiKey, afterKey, isOlder, limit }: EndpointPage) => {
    const all = database.selectFrom('endpoints').selectAll().where('apiKey', '=', apiKey);
    const page = afterKey === undefined ? all : all.where('key', isOlder ? '<' : '>', afterKey);
    return page.orderBy('key', isOlder ? 'desc' : 'asc').limit(sql.lit(limit));
  },
);

/**
 * @throws Refusal FAILED_PRECONDITION unless advanced webhooks are enabled; NOT_FOUND if the API
 * key lacks the endpoint
 */
export async function requireEndpoint(call: KeyCall, id: string): Promise<Endpoint> {
  await requireAdvancedWebhooks(call);
  const { database, apiKey } = call;
  const endpoint = database
    .selectFrom('endpoints')
    .selectAll()
    .where('apiKey', '=', apiKey)
    .where('id', '=', id);
  const found = await endpoint.executeTakeFirst();
  if (!found) throw new Refusal('NOT_FOUND', 'Advanced webhook provider request failed.');
  return found;
}

export async function findEndpointId(
  { database, apiKey }: KeyScope,
  uid: string,
): Promise<string | undefined> {
  const matching = database
    .selectFrom('endpoints')
    .select('id')
    .where('apiKey', '=', apiKey)
    .where('uid', '=', uid);
  return (await matching.executeTakeFirst())?.id;
}

export function toEndpointColumns({
  filterTypes,
  channels,
  disabled,
  metadata,
  ...others
}: EndpointSettings) {
  const columns: Partial<Insertable<Tables['endpoints']>> = {
    ...(filterTypes && { filterTypes: JSON.stringify(filterTypes) }),
    ...(channels && { channels: JSON.stringify(channels) }),
    ...(disabled !== undefined && { disabled: disabled ? 1 : 0 }),
    ...(metadata && { metadata: JSON.stringify(metadata) }),
  };
  return Object.assign(columns, others);
}

export function toEndpointRecord(endpoint: Endpoint) {
  const { id, url, description, rateLimit, uid } = endpoint;
  return {
    id,
    url,
    description,
    filterTypes: parseList(endpoint.filterTypes),
    channels: parseList(endpoint.channels),
    disabled: endpoint.disabled === 1,
    rateLimit,
    uid,
    createdAt: new Date(endpoint.createdAt).toISOString(),
    updatedAt: new Date(endpoint.updatedAt).toISOString(),
  };
}

function parseList(json: string | null): string[] | null {
  return json === null ? null : JSON.parse(json);
}
