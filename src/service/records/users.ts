import type { Insertable } from 'kysely';
import { prepared } from '../store/prepared.ts';
import type { Tables } from '../store/tables.ts';

export type UserRow = Insertable<Tables['users']>;

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

/** Adds memberships; who is a member already stays one. */
export const insertMembers = prepared((database, rows: readonly Insertable<Tables['members']>[]) =>
  database
    .insertInto('members')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
);
