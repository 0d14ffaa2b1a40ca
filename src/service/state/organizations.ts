import type { Insertable } from 'kysely';
import { serializeOtherFields } from '../records/other-fields.ts';
import { chunkRows } from '../store/chunks.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Tables } from '../store/tables.ts';
import { omitUnset, parseOtherFields, type Section } from './section.ts';

const select = prepareQuery((database, { apiKey }: { readonly apiKey: string }) =>
  database
    .selectFrom('organizations')
    .select(['organizationId', 'organizationName', 'otherFields'])
    .where('apiKey', '=', apiKey)
    .orderBy('key'),
);

const upsert = prepareQuery((database, rows: readonly Insertable<Tables['organizations']>[]) =>
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

/** Reads and writes organizations. The scope has already created the missing ones, so writing only sets their fields. */
export const organizations: Section<'organizations'> = {
  read: async ({ database, apiKey }) => {
    const rows = await select(database, { apiKey });
    return rows.map(({ organizationId, organizationName, otherFields: others }) => ({
      organizationId,
      ...omitUnset({ organizationName }),
      ...parseOtherFields(others),
    }));
  },
  write: async ({ database, apiKey, now }, records) => {
    for (const batch of chunkRows(records)) {
      const rows = batch.map(({ organizationId, organizationName = null, ...others }) => ({
        apiKey,
        organizationId,
        organizationName,
        otherFields: serializeOtherFields(others),
        createdAt: now,
      }));
      await upsert(database, rows);
    }
  },
};
