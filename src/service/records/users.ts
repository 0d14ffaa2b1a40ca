import type { Insertable } from 'kysely';
import { newId } from '../secrets.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { otherFields } from './other-fields.ts';

export type UserRow = Insertable<Tables['users']>;

/** A user as calls give it. */
export interface GivenUser {
  readonly userId: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly initial?: string | undefined;
}

/** Adds users, or updates what is given of the ones that exist, and tells the service's own id of each. */
export const upsertUsers = prepared((database, rows: readonly UserRow[]) =>
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

/** The users of these ids that exist. */
export const selectUsers = prepared(
  (database, given: { readonly organization: number; readonly userIds: readonly string[] }) =>
    database
      .selectFrom('users')
      .select(['userId', 'otherFields'])
      .where('organization', '=', given.organization)
      .where('userId', 'in', given.userIds),
);

/** The row of a user. A role is no property of the user, but of the place where it was added. */
export function userRow(organization: number, given: GivenUser & { readonly accessRole?: unknown }): UserRow {
  const { userId, name, email, initial, accessRole: _, ...others } = given;
  return {
    organization,
    userId,
    id: newId(),
    name: name ?? null,
    email: email ?? null,
    initial: initial ?? initialOf(name) ?? null,
    otherFields: otherFields(others),
  };
}

/** The first letter or digit of a name, as a capital. */
function initialOf(name = ''): string | undefined {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase();
}

/** Adds a user of whom nothing but the id is known, unless it exists. */
export async function ensureUser(database: Database, user: { organization: number; userId: string }): Promise<void> {
  await insertUser(database, { ...user, id: newId() });
}

const insertUser = prepared((database, row: UserRow) =>
  database
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.doNothing()),
);
