import type { Insertable } from 'kysely';
import { prepared } from '../store/prepared.ts';
import type { Tables } from '../store/tables.ts';

/** Shows users as present, or updates what is given of those who are. */
export const upsertPresence = prepared((database, rows: readonly Insertable<Tables['presence']>[]) =>
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

export const deletePresence = prepared(
  (
    database,
    given: { readonly organization: number; readonly documentId: string; readonly userIds: readonly string[] },
  ) =>
    database
      .deleteFrom('presence')
      .where('organization', '=', given.organization)
      .where('documentId', '=', given.documentId)
      .where('userId', 'in', given.userIds),
);
