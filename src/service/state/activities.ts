import { selectActivities } from '../records/activities.ts';
import { prepareSelect, prepareUpsert } from '../store/statements.ts';
import {
  batchByOrganization,
  parseOtherFields,
  readByOrganization,
  type Section,
} from './section.ts';

const selectExported = prepareSelect('activities', ['activityId', 'documentId', 'data'], ['key']);
const upsertActivities = prepareUpsert('activities', ['organization', 'activityId'], {
  replaced: ['documentId', 'data', 'lastUpdated'],
});
/** Document ID in the store for an activity without a document. */
const NO_DOCUMENT = '';

export const activities: Section<'activities'> = {
  read: (scope) =>
    readByOrganization(scope, selectExported, (organizationId, { activityId, documentId, data }) => ({
      organizationId,
      ...(documentId !== NO_DOCUMENT && { documentId }),
      id: activityId,
      ...parseOtherFields(data),
    })),

  write: async (scope, records) => {
    const { database, now } = scope;
    for (const [organization, batch] of batchByOrganization(scope, records)) {
      const found = await selectActivities(database, {
        organization,
        activityId: batch.map(({ id }) => id),
      });
      const existing = new Map(found.map((row) => [row.activityId, row]));
      const rows = batch.map(({ organizationId: _, documentId, id, ...fields }) => ({
        organization,
        activityId: id,
        documentId: documentId ?? existing.get(id)?.documentId ?? NO_DOCUMENT,
        data: JSON.stringify({ ...JSON.parse(existing.get(id)?.data ?? '{}'), ...fields }),
        createdAt: now,
        lastUpdated: now,
      }));
      await upsertActivities(database, rows);
    }
  },
};
