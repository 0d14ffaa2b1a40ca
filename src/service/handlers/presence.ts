import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../call.ts';
import { ensureOrganization, findOrganization } from '../records/organizations.ts';
import { otherFields } from '../records/other-fields.ts';
import { deletePresence, upsertPresence } from '../records/presence.ts';
import { batchesOf, distinctBatchesOf } from '../store/batches.ts';
import type { HandlersOf } from './handler.ts';

type Present = z.output<Operations['presence.update']['input']>;

const SUCCESS = { data: { success: true } };

export const presence: HandlersOf<'presence'> = {
  'presence.add': showPresent,
  'presence.update': showPresent,

  'presence.delete': async (call, { organizationId, documentId, userIds: given }) => {
    const organization = await findOrganization(call, organizationId);
    if (organization === undefined) return SUCCESS;
    for (const userIds of batchesOf(given)) {
      await deletePresence(call.database, { organization, documentId, userIds });
    }
    return SUCCESS;
  },
};

async function showPresent(call: KeyCall, { organizationId, documentId, users: given }: Present) {
  const organization = await ensureOrganization(call, organizationId);
  for (const batch of distinctBatchesOf(given, ({ userId }) => userId)) {
    const rows = batch.map(({ userId, name, email, status, ...others }) => ({
      organization,
      documentId,
      userId,
      name: name ?? null,
      email: email ?? null,
      status: status ?? null,
      otherFields: otherFields(others),
      lastUpdated: call.now,
    }));
    await upsertPresence(call.database, rows);
  }
  return SUCCESS;
}
