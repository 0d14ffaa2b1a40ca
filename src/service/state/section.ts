import type { State, StateKind } from '../../catalog/state.ts';
import type { KeyScope } from '../call.ts';
import { batchesOf } from '../store/batches.ts';
import type { Database } from '../store/store.ts';

/** Whose state it is: an API key's, with its organizations by id, oldest first. */
export interface Scope extends KeyScope {
  readonly now: number;
  readonly organizations: ReadonlyMap<string, number>;
}

/** One part of the state, on its way out of the store and into it. */
export interface Section<Kind extends StateKind> {
  /** In an order that writing keeps, so that a copy reads the same. */
  read(scope: Scope): Promise<State[Kind]>;
  /** Adds what is new and updates what exists. What it refers to exists. */
  write(scope: Scope, content: State[Kind]): Promise<void>;
}

/** The records of each organization, one organization after the other. */
export async function readEach<Row, Record>(
  { database, organizations }: Scope,
  select: (database: Database, owner: { readonly organization: number }) => Promise<readonly Row[]>,
  toRecord: (organizationId: string, row: Row) => Record,
): Promise<Record[]> {
  const records: Record[] = [];
  for (const [organizationId, organization] of organizations) {
    for (const row of await select(database, { organization })) records.push(toRecord(organizationId, row));
  }
  return records;
}

/** Records in parts that one statement each may hold, each with the surrogate key of its organization. */
export function* batchesByOrganization<Record extends { readonly organizationId: string }>(
  { organizations }: Scope,
  records: readonly Record[],
): Generator<readonly [organization: number, batch: readonly Record[]]> {
  for (const [organizationId, own] of Map.groupBy(records, (record) => record.organizationId)) {
    const organization = organizations.get(organizationId);
    if (organization === undefined) throw new TypeError('records of an organization that was not made');
    for (const batch of batchesOf(own)) yield [organization, batch];
  }
}

type Present<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], null | undefined> };

/** Only the fields that hold something. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  const held = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(held) as Present<Fields>;
}

/** The fields that a column of `otherFields` holds; `organizationId` says where a record of the state belongs. */
export function storedFields(column: string | null): Readonly<Record<string, unknown>> {
  const { organizationId: _, ...fields } = column === null ? {} : JSON.parse(column);
  return fields;
}
