import { CHANGEABLE_FIELDS } from '../../catalog/activities.ts';
import { type Activity, activityAdded, activityChanged } from '../deliveries/causes.ts';
import { type Happening, recordHappenings } from '../deliveries/outbox.ts';
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
    const happenings: Happening[] = [];
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
      const added = new Map(batch.map(({ id, fields }) => [id, fields]));
      for (const { activityId } of await insertActivities(database, rows)) {
        data[activityId] = { success: true, id: activityId, message: 'Activity added.' };
        happenings.push(...activityAdded({ organizationId, documentId }, added.get(activityId)));
      }
    }
    await recordHappenings(call, happenings);
    return { data };
  },

  'activities.update': async (call, { organizationId, activities: given }) => {
    const { database, now } = call;
    const organization = await findOrganization(call, organizationId);
    const data = itemResults();
    const happenings: Happening[] = [];
    for (const batch of distinctBatchesOf(given, ({ id }) => id)) {
      const changes = new Map(batch.map((change) => [change.id, change]));
      for (const { id } of batch) data[id] = { success: false, message: 'Failed to update activity.' };
      if (organization === undefined) continue;
      const known = await selectActivities(database, { organization, activityIds: [...changes.keys()] });
      for (const { key, activityId, documentId, data: stored } of known) {
        const change = changeable(changes.get(activityId));
        const changed: Activity = { ...JSON.parse(stored), ...change };
        await updateActivity(database, { key, data: JSON.stringify(changed), lastUpdated: now });
        data[activityId] = { success: true, message: 'Activity updated.' };
        happenings.push(...activityChanged({ organizationId, documentId }, changed, change));
      }
    }
    await recordHappenings(call, happenings);
    return { data };
  },
};

/** Who did what to which document is settled when it is added. */
function changeable(change: object = {}): Partial<Activity> {
  return Object.fromEntries(Object.entries(change).filter(([field]) => CHANGEABLE_FIELDS.has(field)));
}
