import { type Kysely, sql } from 'kysely';
import { SvcError } from '../../../kernel/errors.ts';
import { didYouMean, findNearest } from '../../../kernel/nearest.ts';
import type { KeyScope } from '../../call.ts';
import { findOrganization } from '../../records/organizations.ts';
import { prepareSelect } from '../../store/statements.ts';
import type { ListFilter, RecordList, StoredRecord } from './answers.ts';
import { RECORD_KINDS, type RecordKind, type RecordKindName, toRecord } from './kinds.ts';

/** Reads the data of an API key at a time of the service's clock. */
export interface ReadingScope extends KeyScope {
  readonly now: number;
}

export const DEFAULT_LIMIT = 50;

/** @throws SvcError `usage` with the nearest kind */
export function parseKind(name: string): RecordKindName {
  if (Object.hasOwn(RECORD_KINDS, name)) return name as RecordKindName;
  throw new SvcError('usage', `unknown kind '${name}'`, { hint: didYouMean(name, Object.keys(RECORD_KINDS)) });
}

/** Lists records of a kind, by organization. @throws SvcError `not_found` for an unknown organization */
export async function listRecords(scope: ReadingScope, name: RecordKindName, filter: ListFilter): Promise<RecordList> {
  const { limit = DEFAULT_LIMIT, match } = filter;
  const kind: RecordKind = RECORD_KINDS[name];
  const records: StoredRecord[] = [];
  for await (const [organization, row] of readRows(scope, kind, filter.organization, { match, limit: limit + 1 })) {
    const record = (kind.toRecord ?? toRecord)(row, scope.now);
    records.push(organization === undefined ? record : { organizationId: organization.id, ...record });
    if (records.length > limit) break;
  }
  return { records: records.slice(0, limit), more: records.length > limit };
}

/** Finds the records with an ID, one in each organization that has it. */
export async function findRecords(scope: ReadingScope, name: RecordKindName, id: string, organizationId: string | undefined) {
  const kind: RecordKind = RECORD_KINDS[name];
  const found: { readonly organization: number | undefined; readonly record: Record<string, unknown> }[] = [];
  for await (const [organization, row] of readRows(scope, kind, organizationId, {
    equals: { [kind.searched[0]]: id },
    limit: 1,
  })) {
    const key = organization?.key ?? (name === 'organizations' ? Number(row['key']) : undefined);
    found.push({ organization: key, record: { ...(organization && { organizationId: organization.id }), ...toRecord(row) } });
  }
  if (found.length > 0) return found;
  throw await notFound(
    scope,
    name,
    id,
    organizationId === undefined ? undefined : await requireOrganization(scope, organizationId),
  );
}

interface RowQuery {
  readonly equals?: Readonly<Record<string, string>>;
  readonly match?: string | undefined;
  readonly limit: number;
}

async function* readRows(scope: KeyScope, kind: RecordKind, organizationId: string | undefined, query: RowQuery) {
  if (kind.isOfKey) {
    for (const row of await selectRows(scope, kind, query)) yield [undefined, row] as const;
    return;
  }
  const organizations = await selectOrganizations(scope.database, { apiKey: scope.apiKey });
  const chosen =
    organizationId === undefined ? organizations : [{ organizationId, key: await requireOrganization(scope, organizationId) }];
  for (const { organizationId: id, key } of chosen) {
    for (const row of await selectRows(scope, kind, query, key)) yield [{ id, key }, row] as const;
  }
}

const selectOrganizations = prepareSelect('organizations', ['organizationId', 'key'], ['organizationId']);

type UntypedTables = Record<string, Record<string, unknown>>;

/** @param key surrogate key of the organization, unless the records belong to the API key */
export function selectRows(
  scope: KeyScope,
  kind: RecordKind,
  { equals, match, limit }: RowQuery,
  key?: number,
): Promise<readonly StoredRecord[]> {
  const { table, isOfKey, where, searched, order } = kind;
  const database = scope.database as unknown as Kysely<UntypedTables>;
  const filter = { ...(isOfKey ? { apiKey: scope.apiKey } : { organization: key }), ...where, ...equals };
  let query = database.selectFrom<string>(table).selectAll();
  for (const [column, value] of Object.entries(filter)) query = query.where(column, '=', value);
  if (match !== undefined) {
    const pattern = `%${match.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
    query = query.where(({ or }) =>
      or(searched.map((each) => sql<boolean>`lower(${sql.ref(each)}) like ${pattern} escape '\\'`)),
    );
  }
  for (const each of order ? [order] : searched)
    query = query.orderBy(each.replace('-', ''), each.startsWith('-') ? 'desc' : 'asc');
  return query.limit(sql.lit(limit)).execute() as Promise<readonly StoredRecord[]>;
}

/** @throws SvcError `not_found` with the nearest ID */
export async function requireOrganization(scope: KeyScope, organizationId: string): Promise<number> {
  const found = await findOrganization(scope, organizationId);
  if (found === undefined) throw await notFound(scope, 'organizations', organizationId);
  return found;
}

/** Upper bound on the IDs to compare with an unknown one. */
const MAX_COMPARED = 10_000;

/** Creates the error for an ID that does not exist, with the nearest one of the organization (default: of all). */
export async function notFound(scope: KeyScope, name: RecordKindName, id: string, organization?: number): Promise<SvcError> {
  const kind: RecordKind = RECORD_KINDS[name];
  const [column] = kind.searched;
  const organizations = await selectOrganizations(scope.database, { apiKey: scope.apiKey });
  const keys = kind.isOfKey || organization !== undefined ? [organization] : organizations.map(({ key }) => key);
  const known: string[] = [];
  for (const key of keys) {
    for (const row of await selectRows(scope, kind, { limit: MAX_COMPARED - known.length }, key))
      known.push(String(row[column]));
    if (known.length >= MAX_COMPARED) break;
  }
  const nearest = findNearest(id, known);
  const detail = nearest === undefined ? {} : { hint: `did you mean '${nearest}'?` };
  return new SvcError('not_found', `${name.replace(/s$/, '')} '${id}' not found`, detail);
}
