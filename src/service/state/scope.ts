import type { State } from '../../catalog/state.ts';
import { insertOrganizations } from '../records/organizations.ts';
import { batchesOf } from '../store/batches.ts';
import { prepared } from '../store/prepared.ts';
import type { Scope } from './section.ts';

const selectKeys = prepared((database, { apiKey }: { readonly apiKey: string }) =>
  database.selectFrom('organizations').select(['organizationId', 'key']).where('apiKey', '=', apiKey).orderBy('key'),
);

/** What an API key has now. */
export async function scopeOf(owner: Omit<Scope, 'organizations'>): Promise<Scope> {
  const { database, apiKey } = owner;
  const rows = await selectKeys(database, { apiKey });
  return { ...owner, organizations: new Map(rows.map(({ organizationId, key }) => [organizationId, key])) };
}

/** The scope with every organization that a state names: one that is missing is created. */
export async function withOrganizationsOf(scope: Scope, state: State): Promise<Scope> {
  const { database, apiKey, now, organizations } = scope;
  const named = new Set(
    Object.values(state).flatMap((part) => (Array.isArray(part) ? part.flatMap(organizationOf) : [])),
  );
  const missing = [...named].filter((organizationId) => !organizations.has(organizationId));
  for (const batch of batchesOf(missing)) {
    const rows = batch.map((organizationId) => ({ apiKey, organizationId, createdAt: now }));
    await insertOrganizations(database, rows);
  }
  return scopeOf(scope);
}

function organizationOf(record: { readonly organizationId?: unknown }): readonly string[] {
  return typeof record.organizationId === 'string' ? [record.organizationId] : [];
}
