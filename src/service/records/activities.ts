import { prepareInsert, prepareSelect, prepareUpdate } from '../store/statements.ts';

export const insertActivities = prepareInsert(
  'activities',
  ['organization', 'activityId'],
  ['activityId'],
);
export const selectActivities = prepareSelect('activities', [
  'key',
  'activityId',
  'documentId',
  'data',
]);
export const updateActivity = prepareUpdate('activities');
