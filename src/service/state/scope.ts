import type { State } from '../../catalog/state.ts';
import { insertOrganizations } from '../records/organizations.ts';
import { chunkRows } from '../store/chunks.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { StateScope } from './section.ts';

const selectKeys = prepareQuery((database, { apiKey }: { readonly apiKey: string }) =>
  database.selectFrom('organizations').select(['organizationId', 'key']).where('apiKey', '=', apiKey).orderBy('key'),
);

/** Loads the scope of an API key: its existing organizations. */
export async function loadScope(context: Omit<StateScope, 'organizations'>): Promise<StateScope> {
  const { database, apiKey } = context;
  const rows = await selectKeys(database, { apiKey });
  return { ...context, organizations: new Map(rows.map(({ organizationId, key }) => [organizationId, key])) };
}

/** Creates the organizations that a state names and the scope lacks. Returns the new scope. */
export async function createMissingOrganizations(scope: StateScope, state: State): Promise<StateScope> {
  const { database, apiKey, now, organizations } = scope;
  const named = new Set(
    Object.values(state).flatMap((section) => (Array.isArray(section) ? section.flatMap(organizationIdsOf) : [])),
  );
  const missing = [...named].filter((organizationId) => !organizations.has(organizationId));
  for (const batch of chunkRows(missing)) {
    const rows = batch.map((organizationId) => ({ apiKey, organizationId, createdAt: now }));
    await insertOrganizations(database, rows);
  }
  return loadScope(scope);
}

function organizationIdsOf(record: { readonly organizationId?: unknown }): readonly string[] {
  return typeof record.organizationId === 'string' ? [record.organizationId] : [];
}
