import { alreadyExists, itemResults } from '../records/item-results.ts';
import { insertOrganizations } from '../records/organizations.ts';
import { otherFields } from '../records/other-fields.ts';
import { distinctBatchesOf } from '../store/batches.ts';
import type { HandlersOf } from './handler.ts';

export const organizations: HandlersOf<'organizations'> = {
  'organizations.add': async ({ database, apiKey, now }, { organizations: given }) => {
    const data = itemResults();
    for (const batch of distinctBatchesOf(given, ({ organizationId }) => organizationId)) {
      const rows = batch.map(({ organizationId, organizationName, ...others }) => ({
        apiKey,
        organizationId,
        organizationName: organizationName ?? null,
        otherFields: otherFields(others),
        createdAt: now,
      }));
      for (const { organizationId } of batch) data[organizationId] = alreadyExists('Organization');
      for (const { organizationId } of await insertOrganizations(database, rows)) {
        data[organizationId] = { success: true, id: organizationId, message: 'Organization added.' };
      }
    }
    return { data };
  },
};
