import { prepareQuery } from '../store/prepared-query.ts';
import { lockRows } from '../store/sharing.ts';
import { prepareInsert, prepareSelect, prepareUpdate, prepareUpsert } from '../store/statements.ts';

const KEY = ['organization', 'activityId'] as const;
export const insertActivities = prepareInsert('activities', KEY, ['activityId']);
export const overwriteActivities = prepareUpsert('activities', KEY, {
  replaced: ['documentId', 'data', 'lastUpdated'],
});
const COLUMNS = ['key', 'activityId', 'documentId', 'data'] as const;
export const selectActivities = prepareSelect('activities', COLUMNS);
/** Selects activities that are about to change, and locks them. */
export const selectActivitiesToUpdate = prepareQuery(
  (
    database,
    { organization, ids }: { readonly organization: number; readonly ids: readonly string[] },
  ) =>
    lockRows(
      database,
      database
        .selectFrom('activities')
        .select(COLUMNS)
        .where('organization', '=', organization)
        .where('activityId', 'in', ids)
        .orderBy('key'),
    ),
);
export const updateActivity = prepareUpdate('activities');
