import type { Insertable } from 'kysely';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Tables } from '../store/tables.ts';

/** Adds activities that do not exist, and returns their IDs. */
export const insertActivities = prepareQuery((database, rows: readonly Insertable<Tables['activities']>[]) =>
  database
    .insertInto('activities')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['organization', 'activityId']).doNothing())
    .returning('activityId'),
);

export const selectActivities = prepareQuery(
  (database, filter: { readonly organization: number; readonly activityIds: readonly string[] }) =>
    database
      .selectFrom('activities')
      .select(['key', 'activityId', 'documentId', 'data'])
      .where('organization', '=', filter.organization)
      .where('activityId', 'in', filter.activityIds),
);

export const updateActivity = prepareQuery(
  (
    database,
    { key, data, lastUpdated }: { readonly key: number; readonly data: string; readonly lastUpdated: number },
  ) => database.updateTable('activities').set({ data, lastUpdated }).where('key', '=', key),
);
