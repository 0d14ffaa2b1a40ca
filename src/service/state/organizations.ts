import { serializeOtherFields } from '../records/other-fields.ts';
import { prepareSelect, prepareUpsert } from '../store/statements.ts';
import { omitUnset, parseOtherFields, type Section } from './section.ts';

const selectOrganizations = prepareSelect(
  'organizations',
  ['organizationId', 'organizationName', 'otherFields'],
  ['key'],
);
const upsertOrganizations = prepareUpsert('organizations', ['apiKey', 'organizationId'], {
  merged: ['organizationName', 'otherFields'],
});

/** Organizations. The import creates missing ones beforehand, so `write` only sets fields. */
export const organizations: Section<'organizations'> = {
  read: async ({ database, apiKey }) => {
    return (await selectOrganizations(database, { apiKey })).map(
      ({ organizationId, organizationName, otherFields: others }) => ({
        organizationId,
        ...omitUnset({ organizationName }),
        ...parseOtherFields(others),
      }),
    );
  },
  write: async ({ database, apiKey, now }, records) => {
    const rows = records.map(({ organizationId, organizationName = null, ...others }) => ({
      apiKey,
      organizationId,
      organizationName,
      otherFields: serializeOtherFields(others),
      createdAt: now,
    }));
    await upsertOrganizations(database, rows);
  },
};
