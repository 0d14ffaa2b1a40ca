import type { Insertable } from 'kysely';
import { prepared } from '../store/prepared.ts';
import type { Tables } from '../store/tables.ts';

/** Adds the activities that do not exist yet, and tells which those are. */
export const insertActivities = prepared((database, rows: readonly Insertable<Tables['activities']>[]) =>
  database
    .insertInto('activities')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['organization', 'activityId']).doNothing())
    .returning('activityId'),
);

/** The activities of these ids that exist. */
export const selectActivities = prepared(
  (database, given: { readonly organization: number; readonly activityIds: readonly string[] }) =>
    database
      .selectFrom('activities')
      .select(['key', 'activityId', 'documentId', 'data'])
      .where('organization', '=', given.organization)
      .where('activityId', 'in', given.activityIds),
);

export const updateActivity = prepared(
  (
    database,
    { key, data, lastUpdated }: { readonly key: number; readonly data: string; readonly lastUpdated: number },
  ) => database.updateTable('activities').set({ data, lastUpdated }).where('key', '=', key),
);
