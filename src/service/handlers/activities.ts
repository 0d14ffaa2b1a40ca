import { FEATURE_TYPES, UPDATABLE_FIELDS } from '../../catalog/activities.ts';
import { requireKnownValue } from '../calls/validate.ts';
import {
  eventsOfAddedActivity,
  eventsOfChangedActivity,
  type StoredActivity,
} from '../deliveries/document-events.ts';
import { type DocumentEvent, recordDocumentEvents } from '../deliveries/outbox.ts';
import {
  insertActivities,
  overwriteActivities,
  selectActivitiesToUpdate,
  updateActivity,
} from '../records/activities.ts';
import { createItemResults } from '../records/item-results.ts';
import { ensureOrganization, findOrganization } from '../records/organizations.ts';
import { generateId } from '../records/secrets.ts';
import { chunkRows, distinctBy } from '../store/statements.ts';
import { type HandlersOf, lockingOnlyRows } from './handler.ts';

export const activities: HandlersOf<'activities'> = {
  /** Adds activities, or overwrites those with the same ID. The document does not have to exist. */
  'activities.add': lockingOnlyRows(async (call, input) => {
    const { organizationId, documentId, activities: requested } = input;
    requireKnownFeatures(requested);
    const { database, now } = call;
    const organization = await ensureOrganization(call, organizationId);
    const fieldsById = new Map(
      requested.map(({ id = generateId(), organizationId: _, documentId: __, ...fields }) => [
        id,
        fields,
      ]),
    );
    const rows = [...fieldsById].map(([id, fields]) => ({
      organization,
      activityId: id,
      documentId,
      data: JSON.stringify(fields),
      createdAt: now,
      lastUpdated: now,
    }));
    const added = new Set(
      (await insertActivities(database, rows)).map(({ activityId }) => activityId),
    );
    await overwriteActivities(
      database,
      rows.filter(({ activityId }) => !added.has(activityId)),
    );
    // A repeated call does not send its events again.
    const events = [...added].flatMap((id) =>
      eventsOfAddedActivity({ organizationId, documentId }, fieldsById.get(id)),
    );
    await recordDocumentEvents(call, events);
    return { data: { success: true, message: 'Activity(s) added successfully.' } };
  }),

  'activities.update': lockingOnlyRows(async (call, input) => {
    const { organizationId, activities: requested } = input;
    const { database, now } = call;
    const organization = await findOrganization(call, organizationId);
    const data = createItemResults();
    const events: DocumentEvent[] = [];
    for (const batch of chunkRows(distinctBy(requested, ({ id }) => id))) {
      const changes = new Map(batch.map((change) => [change.id, change]));
      for (const { id } of batch)
        data[id] = { success: false, message: 'Failed to update activity.' };
      if (organization === undefined) continue;
      const existing = await selectActivitiesToUpdate(database, {
        organization,
        ids: [...changes.keys()],
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
  }),
};

/**
 * Picks the fields that an update may change. The actor, action, and document cannot be changed.
 */
function pickChangeable(change: object = {}): Partial<StoredActivity> {
  return Object.fromEntries(
    Object.entries(change).filter(([field]) => UPDATABLE_FIELDS.has(field)),
  );
}

/** @throws Refusal INVALID_ARGUMENT for an activity of an unknown feature */
function requireKnownFeatures(requested: readonly { readonly featureType: string }[]): void {
  for (const [at, { featureType }] of requested.entries())
    requireKnownValue(['activities', at, 'featureType'], featureType, FEATURE_TYPES);
}
