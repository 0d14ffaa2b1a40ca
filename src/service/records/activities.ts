import { prepareInsert, prepareSelect, prepareUpdate, prepareUpsert } from '../store/statements.ts';

const KEY = ['organization', 'activityId'] as const;
export const insertActivities = prepareInsert('activities', KEY, ['activityId']);
export const overwriteActivities = prepareUpsert('activities', KEY, {
  replaced: ['documentId', 'data', 'lastUpdated'],
});
export const selectActivities = prepareSelect('activities', [
  'key',
  'activityId',
  'documentId',
  'data',
]);
export const updateActivity = prepareUpdate('activities');
