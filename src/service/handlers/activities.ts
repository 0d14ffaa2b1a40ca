import { UPDATABLE_FIELDS } from '../../catalog/activities.ts';
import {
  eventsOfAddedActivity,
  eventsOfChangedActivity,
  type StoredActivity,
} from '../deliveries/document-events.ts';
import { type DocumentEvent, recordDocumentEvents } from '../deliveries/outbox.ts';
import { insertActivities, selectActivities, updateActivity } from '../records/activities.ts';
import { alreadyExists, createItemResults } from '../records/item-results.ts';
import { ensureOrganization, findOrganization } from '../records/organizations.ts';
import { generateId } from '../records/secrets.ts';
import { chunkRows, distinctBy } from '../store/statements.ts';
import type { HandlersOf } from './handler.ts';

export const activities: HandlersOf<'activities'> = {
  /** Adds activities. The document does not have to exist. */
  'activities.add': async (call, { organizationId, documentId, activities: requested }) => {
    const { database, now } = call;
    const organization = await ensureOrganization(call, organizationId);
    const fieldsById = new Map(
      requested.map(({ id = generateId(), organizationId: _, documentId: __, ...fields }) => [
        id,
        fields,
      ]),
    );
    const data = createItemResults();
    const events: DocumentEvent[] = [];
    const rows = [...fieldsById].map(([id, fields]) => ({
      organization,
      activityId: id,
      documentId,
      data: JSON.stringify(fields),
      createdAt: now,
      lastUpdated: now,
    }));
    for (const id of fieldsById.keys()) data[id] = alreadyExists('Activity');
    for (const { activityId } of await insertActivities(database, rows)) {
      data[activityId] = { success: true, id: activityId, message: 'Activity added.' };
      events.push(
        ...eventsOfAddedActivity({ organizationId, documentId }, fieldsById.get(activityId)),
      );
    }
    await recordDocumentEvents(call, events);
    return { data };
  },

  'activities.update': async (call, { organizationId, activities: requested }) => {
    const { database, now } = call;
    const organization = await findOrganization(call, organizationId);
    const data = createItemResults();
    const events: DocumentEvent[] = [];
    for (const batch of chunkRows(distinctBy(requested, ({ id }) => id))) {
      const changes = new Map(batch.map((change) => [change.id, change]));
      for (const { id } of batch)
        data[id] = { success: false, message: 'Failed to update activity.' };
      if (organization === undefined) continue;
      const existing = await selectActivities(database, {
        organization,
        activityId: [...changes.keys()],
      });
      for (const { key, activityId, documentId, data: stored } of existing) {
        const change = pickChangeable(changes.get(activityId));
        const changed: StoredActivity = { ...JSON.parse(stored), ...change };
        const set = { data: JSON.stringify(changed), lastUpdated: now };
        await updateActivity(database, { set, where: { key } });
        data[activityId] = { success: true, message: 'Activity updated.' };
        events.push(...eventsOfChangedActivity({ organizationId, documentId }, changed, change));
      }
    }
    await recordDocumentEvents(call, events);
    return { data };
  },
};

/**
 * Picks the fields that an update may change. The actor, action, and document cannot be changed.
 */
function pickChangeable(change: object = {}): Partial<StoredActivity> {
  return Object.fromEntries(
    Object.entries(change).filter(([field]) => UPDATABLE_FIELDS.has(field)),
  );
}
