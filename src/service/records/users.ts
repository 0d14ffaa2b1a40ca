import type { Insertable } from 'kysely';
import { generateId } from '../secrets.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { serializeOtherFields } from './other-fields.ts';

export type UserRow = Insertable<Tables['users']>;

export interface UserInput {
  readonly userId: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly initial?: string | undefined;
}

/** Adds users, or updates the given fields of existing users. Returns the service's ID for each user. */
export const upsertUsers = prepareQuery((database, rows: readonly UserRow[]) =>
  database
    .insertInto('users')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization', 'userId']).doUpdateSet(({ fn, ref }) => ({
        name: fn.coalesce(ref('excluded.name'), ref('users.name')),
        email: fn.coalesce(ref('excluded.email'), ref('users.email')),
        initial: fn.coalesce(ref('excluded.initial'), ref('users.initial')),
        otherFields: fn.coalesce(ref('excluded.otherFields'), ref('users.otherFields')),
      })),
    )
    .returning(['userId', 'id']),
);

export const selectUsers = prepareQuery(
  (database, filter: { readonly organization: number; readonly userIds: readonly string[] }) =>
    database
      .selectFrom('users')
      .select(['userId', 'otherFields'])
      .where('organization', '=', filter.organization)
      .where('userId', 'in', filter.userIds),
);

/** Converts a user to a row. Omits the role, which is part of a membership. */
export function toUserRow(organization: number, user: UserInput & { readonly accessRole?: unknown }): UserRow {
  const { userId, name, email, initial, accessRole: _, ...others } = user;
  return {
    organization,
    userId,
    id: generateId(),
    name: name ?? null,
    email: email ?? null,
    initial: initial ?? initialOf(name) ?? null,
    otherFields: serializeOtherFields(others),
  };
}

/** Returns the first letter or digit of a name, in upper case. */
function initialOf(name = ''): string | undefined {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase();
}

/** Adds a user who has only an ID, unless the user exists. */
export async function ensureUser(database: Database, user: { organization: number; userId: string }): Promise<void> {
  await insertUser(database, { ...user, id: generateId() });
}

const insertUser = prepareQuery((database, row: UserRow) =>
  database
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.doNothing()),
);
