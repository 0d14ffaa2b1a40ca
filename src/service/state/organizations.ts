import type { Insertable } from 'kysely';
import { otherFields } from '../records/other-fields.ts';
import { batchesOf } from '../store/batches.ts';
import { prepared } from '../store/prepared.ts';
import type { Tables } from '../store/tables.ts';
import { present, type Section, storedFields } from './section.ts';

const select = prepared((database, { apiKey }: { readonly apiKey: string }) =>
  database
    .selectFrom('organizations')
    .select(['organizationId', 'organizationName', 'otherFields'])
    .where('apiKey', '=', apiKey)
    .orderBy('key'),
);

const upsert = prepared((database, rows: readonly Insertable<Tables['organizations']>[]) =>
  database
    .insertInto('organizations')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['apiKey', 'organizationId']).doUpdateSet(({ fn, ref }) => ({
        organizationName: fn.coalesce(ref('excluded.organizationName'), ref('organizations.organizationName')),
        otherFields: fn.coalesce(ref('excluded.otherFields'), ref('organizations.otherFields')),
      })),
    ),
);

/** What is written here are names and fields: the organizations themselves are part of the scope. */
export const organizations: Section<'organizations'> = {
  read: async ({ database, apiKey }) => {
    const rows = await select(database, { apiKey });
    return rows.map(({ organizationId, organizationName, otherFields: others }) => ({
      organizationId,
      ...present({ organizationName }),
      ...storedFields(others),
    }));
  },
  write: async ({ database, apiKey, now }, records) => {
    for (const batch of batchesOf(records)) {
      const rows = batch.map(({ organizationId, organizationName = null, ...others }) => ({
        apiKey,
        organizationId,
        organizationName,
        otherFields: otherFields(others),
        createdAt: now,
      }));
      await upsert(database, rows);
    }
  },
};
