import type { Insertable } from 'kysely';
import { selectActivities } from '../records/activities.ts';
import { prepared } from '../store/prepared.ts';
import type { Tables } from '../store/tables.ts';
import { batchesByOrganization, readEach, type Section, storedFields } from './section.ts';

const select = prepared((database, { organization }: { readonly organization: number }) =>
  database
    .selectFrom('activities')
    .select(['activityId', 'documentId', 'data'])
    .where('organization', '=', organization)
    .orderBy('key'),
);

const upsert = prepared((database, rows: readonly Insertable<Tables['activities']>[]) =>
  database
    .insertInto('activities')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization', 'activityId']).doUpdateSet(({ ref }) => ({
        documentId: ref('excluded.documentId'),
        data: ref('excluded.data'),
        lastUpdated: ref('excluded.lastUpdated'),
      })),
    ),
);

/** Stands for the document of an activity that came without one. */
const NO_DOCUMENT = '';

export const activities: Section<'activities'> = {
  read: (scope) =>
    readEach(scope, select, (organizationId, { activityId, documentId, data }) => ({
      organizationId,
      ...(documentId !== NO_DOCUMENT && { documentId }),
      id: activityId,
      ...storedFields(data),
    })),

  write: async (scope, records) => {
    const { database, now } = scope;
    for (const [organization, batch] of batchesByOrganization(scope, records)) {
      const found = await selectActivities(database, { organization, activityIds: batch.map(({ id }) => id) });
      const before = new Map(found.map((row) => [row.activityId, row]));
      const rows = batch.map(({ organizationId: _, documentId, id, ...fields }) => ({
        organization,
        activityId: id,
        documentId: documentId ?? before.get(id)?.documentId ?? NO_DOCUMENT,
        data: JSON.stringify({ ...JSON.parse(before.get(id)?.data ?? '{}'), ...fields }),
        createdAt: now,
        lastUpdated: now,
      }));
      await upsert(database, rows);
    }
  },
};
