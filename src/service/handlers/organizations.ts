import { alreadyExists, createItemResults } from '../records/item-results.ts';
import { insertOrganizations } from '../records/organizations.ts';
import { serializeOtherFields } from '../records/other-fields.ts';
import { generateId } from '../records/secrets.ts';
import { distinctBy } from '../store/statements.ts';
import { type HandlersOf, lockingOnlyRows } from './handler.ts';

export const organizations: HandlersOf<'organizations'> = {
  'organizations.add': lockingOnlyRows(async (call, { organizations: requested }) => {
    const { database, apiKey, now } = call;
    const data = createItemResults();
    const added = distinctBy(requested, ({ organizationId }) => organizationId);
    const rows = added.map(({ organizationId, organizationName, ...others }) => ({
      apiKey,
      organizationId,
      organizationName: organizationName ?? null,
      otherFields: serializeOtherFields(others),
      createdAt: now,
    }));
    for (const { organizationId } of added) data[organizationId] = alreadyExists('Organization');
    for (const { organizationId } of await insertOrganizations(database, rows))
      data[organizationId] = { success: true, id: generateId(), message: 'Added Successfully' };
    return { data };
  }),
};
