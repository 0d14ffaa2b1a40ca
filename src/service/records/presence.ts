import type { Insertable } from 'kysely';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Tables } from '../store/tables.ts';

/** Adds users as present, or updates the supplied fields of users that are already present. */
export const upsertPresence = prepareQuery((database, rows: readonly Insertable<Tables['presence']>[]) =>
  database
    .insertInto('presence')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization', 'documentId', 'userId']).doUpdateSet(({ fn, ref }) => ({
        name: fn.coalesce(ref('excluded.name'), ref('presence.name')),
        email: fn.coalesce(ref('excluded.email'), ref('presence.email')),
        status: fn.coalesce(ref('excluded.status'), ref('presence.status')),
        otherFields: fn.coalesce(ref('excluded.otherFields'), ref('presence.otherFields')),
        lastUpdated: ref('excluded.lastUpdated'),
      })),
    ),
);

export const deletePresence = prepareQuery(
  (
    database,
    filter: { readonly organization: number; readonly documentId: string; readonly userIds: readonly string[] },
  ) =>
    database
      .deleteFrom('presence')
      .where('organization', '=', filter.organization)
      .where('documentId', '=', filter.documentId)
      .where('userId', 'in', filter.userIds),
);
