import { serializeOtherFields } from '../records/other-fields.ts';
import { chunkRows } from '../store/chunks.ts';
import { prepareUpsert } from '../store/upsert.ts';
import { omitUnset, parseOtherFields, type Section } from './section.ts';

const upsert = prepareUpsert('organizations', ['apiKey', 'organizationId'], {
  merged: ['organizationName', 'otherFields'],
});

/** Organizations. The import creates missing ones beforehand, so `write` only sets fields. */
export const organizations: Section<'organizations'> = {
  read: async ({ database, apiKey }) => {
    const rows = await database
      .selectFrom('organizations')
      .select(['organizationId', 'organizationName', 'otherFields'])
      .where('apiKey', '=', apiKey)
      .orderBy('key')
      .execute();
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
