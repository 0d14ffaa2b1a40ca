import { prepareInsert, prepareSelect, prepareUpdate } from '../store/statements.ts';

/** Adds the activities that do not exist yet, and returns their IDs. */
export const insertActivities = prepareInsert('activities', ['organization', 'activityId'], ['activityId']);

export const selectActivities = prepareSelect('activities', ['key', 'activityId', 'documentId', 'data']);

export const updateActivity = prepareUpdate('activities');
