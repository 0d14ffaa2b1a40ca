import type { State } from '../../catalog/state.ts';
import { newSigningSecret } from '../../webhooks/signature.ts';
import { columnsOf, endpointRecord } from '../records/endpoints.ts';
import { newEndpointId } from '../secrets.ts';
import { present, type Scope, type Section } from './section.ts';

type EndpointRecord = State['endpoints'][number];

export const endpoints: Section<'endpoints'> = {
  read: async ({ database, apiKey }) => {
    const rows = await database
      .selectFrom('endpoints')
      .selectAll()
      .where('apiKey', '=', apiKey)
      .orderBy('key')
      .execute();
    return rows.map((row) => ({
      ...endpointRecord(row),
      ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
      secret: row.secret,
    }));
  },
  write: async (scope, records) => {
    for (const record of records) await save(scope, record);
  },
};

/** Whatever a record does not say stays, or for a new endpoint is made up. One without an id goes by its uid. */
async function save(scope: Scope, record: EndpointRecord): Promise<void> {
  const { database, apiKey, now } = scope;
  const { id = (await idOfUid(scope, record.uid)) ?? newEndpointId(), url, createdAt, updatedAt, ...settings } = record;
  const columns = {
    ...columnsOf(present(settings)),
    ...unset(settings),
    ...(createdAt !== undefined && { createdAt: Date.parse(createdAt) }),
    ...(updatedAt !== undefined && { updatedAt: Date.parse(updatedAt) }),
    url,
  };
  await database
    .insertInto('endpoints')
    .values({ disabled: 0, secret: newSigningSecret(), createdAt: now, updatedAt: now, ...columns, apiKey, id })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute();
}

async function idOfUid({ database, apiKey }: Scope, uid: EndpointRecord['uid']): Promise<string | undefined> {
  if (uid === undefined || uid === null) return undefined;
  const known = database.selectFrom('endpoints').select('id').where('apiKey', '=', apiKey).where('uid', '=', uid);
  return (await known.executeTakeFirst())?.id;
}

/** The columns of settings that a record says are not set. */
function unset(
  settings: object,
): Partial<Record<'description' | 'filterTypes' | 'channels' | 'rateLimit' | 'uid', null>> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value === null));
}
