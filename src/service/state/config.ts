import { configSchema, type State } from '../../catalog/state.ts';
import { createSigningSecret } from '../../webhooks/signature.ts';
import { findConfig, mergeSettings, saveConfig } from '../records/configs.ts';
import { findEndpointId, toEndpointColumns, toEndpointRecord } from '../records/endpoints.ts';
import { generateEndpointId } from '../records/secrets.ts';
import type { ConfiguredService } from '../store/tables.ts';
import { omitUnset, type Section, type StateScope } from './section.ts';

const SERVICES = Object.entries({
  webhook: 'webhooks',
  advancedWebhooks: 'advanced-webhooks',
  email: 'email',
  permissionProvider: 'permission-provider',
} satisfies Readonly<Record<keyof State['config'], ConfiguredService>>) as [
  keyof State['config'],
  ConfiguredService,
][];

/** Stored configurations. Unset settings are omitted, so that their defaults apply. */
export const config: Section<'config'> = {
  read: async (scope) => {
    const stored: Record<string, object | undefined> = {};
    for (const [kind, service] of SERVICES) stored[kind] = await findConfig(scope, service);
    // Sorts the fields as in the schema. The store keeps the order in which they were set.
    return configSchema.parse(omitUnset(stored));
  },

  write: async (scope, updates) => {
    for (const [kind, service] of SERVICES) {
      const update = updates[kind];
      if (update)
        await saveConfig(scope, service, mergeConfig(await findConfig(scope, service), update));
    }
  },
};

function mergeConfig(stored: Readonly<Record<string, unknown>> = {}, update: object): object {
  const merged = Object.entries(update).map(([name, value]) => {
    const current = stored[name];
    return [name, typeof value === 'object' && current ? mergeSettings(current, value) : value];
  });
  return { ...stored, ...Object.fromEntries(merged) };
}

export const endpoints: Section<'endpoints'> = {
  read: async ({ database, apiKey }) => {
    const rows = await database
      .selectFrom('endpoints')
      .selectAll()
      .where('apiKey', '=', apiKey)
      .orderBy('key')
      .execute();
    return rows.map((row) => ({
      ...toEndpointRecord(row),
      ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
      secret: row.secret,
    }));
  },
  write: async (scope, records) => {
    for (const record of records) await upsertEndpoint(scope, record);
  },
};

/**
 * Adds or updates an endpoint. A record without an ID is matched by its uid. Omitted fields keep
 * their values; in a new endpoint, they get default values.
 */
async function upsertEndpoint(
  scope: StateScope,
  record: State['endpoints'][number],
): Promise<void> {
  const { database, apiKey, now } = scope;
  const {
    id = (record.uid && (await findEndpointId(scope, record.uid))) || generateEndpointId(),
    url,
    createdAt,
    updatedAt,
    ...settings
  } = record;
  const columns = {
    ...toEndpointColumns(omitUnset(settings)),
    ...clearedColumns(settings),
    ...(createdAt !== undefined && { createdAt: Date.parse(createdAt) }),
    ...(updatedAt !== undefined && { updatedAt: Date.parse(updatedAt) }),
    url,
  };
  await database
    .insertInto('endpoints')
    .values({
      disabled: 0,
      secret: createSigningSecret(),
      createdAt: now,
      updatedAt: now,
      ...columns,
      apiKey,
      id,
    })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
    .execute();
}

function clearedColumns(
  settings: object,
): Partial<Record<'description' | 'filterTypes' | 'channels' | 'rateLimit' | 'uid', null>> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value === null));
}
