import type { StateKind } from '../../catalog/record-kinds.ts';
import type { State } from '../../catalog/state.ts';
import type { KeyScope } from '../calls/call.ts';
import { insertOrganizations } from '../records/organizations.ts';
import { chunkRows, prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';

/**
 * The API key that owns a state, with the surrogate keys of its organizations by ID, oldest first.
 */
export interface StateScope extends KeyScope {
  readonly now: number;
  readonly organizations: ReadonlyMap<string, number>;
  readonly signal?: AbortSignal | undefined;
}

const selectOrganizations = prepareSelect('organizations', ['organizationId', 'key'], ['key']);

export async function loadScope(context: Omit<StateScope, 'organizations'>): Promise<StateScope> {
  const { database, apiKey } = context;
  const rows = await selectOrganizations(database, { apiKey });
  return {
    ...context,
    organizations: new Map(rows.map(({ organizationId, key }) => [organizationId, key])),
  };
}

export async function createMissingOrganizations(
  scope: StateScope,
  state: State,
): Promise<StateScope> {
  const { database, apiKey, now, organizations } = scope;
  const records: readonly { readonly organizationId?: unknown }[] = Object.values(state)
    .filter(Array.isArray)
    .flat();
  const named = new Set(
    records.map(({ organizationId }) => organizationId).filter((id) => typeof id === 'string'),
  );
  const missing = [...named].filter((organizationId) => !organizations.has(organizationId));
  const rows = missing.map((organizationId) => ({ apiKey, organizationId, createdAt: now }));
  await insertOrganizations(database, rows);
  return loadScope(scope);
}

export interface Section<Kind extends StateKind> {
  /** Reads the section. The order is the same after an import and export. */
  read(scope: StateScope): Promise<State[Kind]>;
  /** Adds new records and updates existing ones. Records that the section refers to must exist. */
  write(scope: StateScope, content: State[Kind]): Promise<void>;
}

export interface OrganizationQuery {
  readonly organization: number;
}

export async function readByOrganization<Row, Record>(
  { database, organizations }: StateScope,
  select: (database: Database, query: OrganizationQuery) => Promise<readonly Row[]>,
  toRecord: (organizationId: string, row: Row) => Record,
): Promise<Record[]> {
  const records: Record[] = [];
  for (const [organizationId, organization] of organizations) {
    for (const row of await select(database, { organization }))
      records.push(toRecord(organizationId, row));
  }
  return records;
}

/**
 * Yields batches of records that fit into one statement, with the surrogate key of their
 * organization. Throws the reason of the scope's signal if it is aborted.
 */
export function* batchByOrganization<Record extends { readonly organizationId: string }>(
  { organizations, signal }: StateScope,
  records: readonly Record[],
): Generator<readonly [organization: number, batch: readonly Record[]]> {
  for (const [organizationId, own] of Map.groupBy(records, (record) => record.organizationId)) {
    const organization = organizations.get(organizationId);
    if (organization === undefined)
      throw new TypeError(`organization ${organizationId} was not created before its records`);
    for (const batch of chunkRows(own)) {
      signal?.throwIfAborted();
      yield [organization, batch];
    }
  }
}

type WithoutUnset<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], null | undefined> };

export function omitUnset<Fields extends object>(fields: Fields): WithoutUnset<Fields> {
  const entries = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(entries) as WithoutUnset<Fields>;
}

/**
 * Parses an `otherFields` column. Omits `organizationId`, which records of the state have at the
 * top level.
 */
export function parseOtherFields(column: string | null): Readonly<Record<string, unknown>> {
  const { organizationId: _, ...fields } = column === null ? {} : JSON.parse(column);
  return fields;
}
