import { CHANGEABLE_FIELDS } from '../../catalog/activities.ts';
import { insertActivities, selectActivities, updateActivity } from '../records/activities.ts';
import { alreadyExists, itemResults } from '../records/item-results.ts';
import { ensureOrganization, findOrganization } from '../records/organizations.ts';
import { newId } from '../secrets.ts';
import { distinctBatchesOf } from '../store/batches.ts';
import type { HandlersOf } from './handler.ts';

export const activities: HandlersOf<'activities'> = {
  /** The log takes what happened to a document that the service has not heard of. */
  'activities.add': async (call, { organizationId, documentId, activities: given }) => {
    const { database, now } = call;
    const organization = await ensureOrganization(call, organizationId);
    const named = given.map(({ id = newId(), organizationId: _, documentId: __, ...fields }) => ({ id, fields }));
    const data = itemResults();
    for (const batch of distinctBatchesOf(named, ({ id }) => id)) {
      const rows = batch.map(({ id, fields }) => ({
        organization,
        activityId: id,
        documentId,
        data: JSON.stringify(fields),
        createdAt: now,
        lastUpdated: now,
      }));
      for (const { id } of batch) data[id] = alreadyExists('Activity');
      for (const { activityId } of await insertActivities(database, rows)) {
        data[activityId] = { success: true, id: activityId, message: 'Activity added.' };
      }
    }
    return { data };
  },

  'activities.update': async (call, { organizationId, activities: given }) => {
    const { database, now } = call;
    const organization = await findOrganization(call, organizationId);
    const data = itemResults();
    for (const batch of distinctBatchesOf(given, ({ id }) => id)) {
      const changes = new Map(batch.map((change) => [change.id, change]));
      for (const { id } of batch) data[id] = { success: false, message: 'Failed to update activity.' };
      if (organization === undefined) continue;
      const known = await selectActivities(database, { organization, activityIds: [...changes.keys()] });
      for (const { key, activityId, data: stored } of known) {
        const changed = { ...JSON.parse(stored), ...changeable(changes.get(activityId)) };
        await updateActivity(database, { key, data: JSON.stringify(changed), lastUpdated: now });
        data[activityId] = { success: true, message: 'Activity updated.' };
      }
    }
    return { data };
  },
};

/** Who did what to which document is settled when it is added. */
function changeable(change: object = {}) {
  return Object.fromEntries(Object.entries(change).filter(([field]) => CHANGEABLE_FIELDS.has(field)));
}
