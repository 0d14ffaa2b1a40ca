import { sql } from 'kysely';
import type { ListFilter, StoredRecord, StoredRecords } from '../../../catalog/local/answers.ts';
import type { StoredKindName } from '../../../catalog/local/stored-kinds.ts';
import { SvcError } from '../../../kernel/errors.ts';
import { findNearest } from '../../../kernel/nearest.ts';
import type { KeyScope } from '../../calls/call.ts';
import { findOrganization } from '../../records/organizations.ts';
import { prepareSelect, untyped } from '../../store/statements.ts';
import { STORED_KINDS, type StoredKind, toRecord } from './kinds.ts';

/** Scope of a read: the data of an API key, at a time of the service's clock. */
export interface ReadingScope extends KeyScope {
  readonly now: number;
}

const MAX_COMPARED = 10_000;

/**
 * Lists the records of a kind, grouped by organization.
 * @throws SvcError `not_found` for an unknown organization
 */
export async function listRecords(
  scope: ReadingScope,
  name: StoredKindName,
  filter: ListFilter,
): Promise<StoredRecords> {
  const { organization, limit = 50, match } = filter;
  const found = await readRows(scope, name, organization, { match, limit: limit + 1 });
  const convert: NonNullable<StoredKind['toRecord']> =
    (STORED_KINDS[name] as StoredKind).toRecord ?? toRecord;
  const records = found.map(({ row, organizationId }) => ({
    ...(organizationId !== undefined && { organizationId }),
    ...convert(row, scope.now),
  }));
  return { records: records.slice(0, limit), more: records.length > limit };
}

const MAX_IDS = 500;

/** Reads the first IDs of a kind. Returns none for an unknown organization. */
export async function readIds(
  scope: KeyScope,
  name: StoredKindName,
  organizationId: string | undefined,
): Promise<readonly string[]> {
  const kind: StoredKind = STORED_KINDS[name];
  const isUnknown =
    organizationId !== undefined &&
    !kind.isOfKey &&
    (await findOrganization(scope, organizationId)) === undefined;
  if (isUnknown) return [];
  const rows = await readRows(scope, name, organizationId, { limit: MAX_IDS });
  const ids = rows.map(({ row }) => row[kind.searched[0]]);
  return [...new Set(ids.filter((id) => typeof id === 'string'))];
}

interface RowQuery {
  readonly equals?: Readonly<Record<string, string>>;
  readonly match?: string | undefined;
  readonly limit?: number;
}

interface FoundRow {
  readonly row: StoredRecord;
  readonly organizationId?: string;
  readonly organization: number;
}

/**
 * Reads rows of one organization or of all organizations.
 * @throws SvcError `not_found` for an unknown organization
 */
export async function readRows(
  scope: KeyScope,
  name: StoredKindName,
  organizationId: string | undefined,
  { limit = MAX_COMPARED, ...query }: RowQuery,
): Promise<readonly FoundRow[]> {
  const { database, apiKey } = scope;
  const kind: StoredKind = STORED_KINDS[name];
  if (kind.isOfKey)
    return (await selectRows(scope, kind, { ...query, limit })).map((row) => ({
      row,
      organization: Number(row['key']),
    }));
  if (organizationId !== undefined) await requireOrganizationKey(scope, organizationId);
  const found: FoundRow[] = [];
  for (const { key, ...organization } of await selectOrganizations(database, {
    apiKey,
    organizationId,
  })) {
    const rows = await selectRows(scope, kind, { ...query, limit: limit - found.length }, key);
    found.push(...rows.map((row) => ({ row, ...organization, organization: key })));
    if (found.length >= limit) break;
  }
  return found;
}

const selectOrganizations = prepareSelect(
  'organizations',
  ['organizationId', 'key'],
  ['organizationId'],
);

/**
 * Selects rows of a kind.
 * @param key surrogate key of the organization, unless the records belong to the API key
 */
export function selectRows(
  scope: KeyScope,
  kind: StoredKind,
  { equals, match, limit = MAX_COMPARED }: RowQuery,
  key?: number,
) {
  const { table, isOfKey, where, searched, order } = kind;
  const owner = isOfKey ? { apiKey: scope.apiKey } : { organization: key };
  let query = untyped(scope.database).selectFrom<string>(table).selectAll();
  for (const [column, value] of Object.entries({ ...owner, ...where, ...equals }))
    query = query.where(column, '=', value);
  if (match !== undefined) {
    const pattern = `%${match.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    const contains = (column: string) =>
      sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
    query = query.where(({ or }) => or(searched.map(contains)));
  }
  for (const each of order ?? searched)
    query = query.orderBy(each.replace('-', ''), each.startsWith('-') ? 'desc' : 'asc');
  return query.limit(sql.lit(limit)).execute() as Promise<readonly StoredRecord[]>;
}

/** Finds the surrogate key of an organization. @throws SvcError `not_found` with the nearest ID */
export async function requireOrganizationKey(
  scope: KeyScope,
  organizationId: string,
): Promise<number> {
  const found = await findOrganization(scope, organizationId);
  if (found === undefined) throw await createNotFoundError(scope, 'organizations', organizationId);
  return found;
}

/**
 * Creates the error for an unknown ID, with the nearest ID in the organization (default: in all
 * organizations).
 */
export async function createNotFoundError(
  scope: KeyScope,
  name: StoredKindName,
  id: string,
  organizationId?: string,
): Promise<SvcError> {
  const rows = await readRows(scope, name, organizationId, {});
  const [column] = STORED_KINDS[name].searched;
  const nearest = findNearest(
    id,
    rows.map(({ row }) => String(row[column])),
  );
  const detail = nearest === undefined ? {} : { hint: `did you mean '${nearest}'?` };
  return new SvcError('not_found', `${name.replace(/s$/, '')} '${id}' not found`, detail);
}
