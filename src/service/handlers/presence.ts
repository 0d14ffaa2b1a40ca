import type * as z from 'zod/mini';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../calls/call.ts';
import { ensureOrganization, findOrganization } from '../records/organizations.ts';
import { serializeOtherFields } from '../records/other-fields.ts';
import { chunkRows, distinctBy, prepareDelete, prepareUpsert } from '../store/statements.ts';
import { type HandlersOf, lockingOnlyRows } from './handler.ts';

/** Adds users as present. For users who are already present, updates the given fields. */
export const upsertPresence = prepareUpsert('presence', ['organization', 'documentId', 'userId'], {
  merged: ['name', 'email', 'status', 'otherFields'],
  replaced: ['lastUpdated'],
});

export const deletePresence = prepareDelete('presence');
type PresenceInput = z.output<Operations['presence.update']['input']>;
const SUCCESS = { data: { success: true } };

export const presence: HandlersOf<'presence'> = {
  'presence.add': lockingOnlyRows(savePresence),
  'presence.update': lockingOnlyRows(savePresence),

  'presence.delete': lockingOnlyRows(async (call, input) => {
    const { organizationId, documentId, userIds: requested } = input;
    const organization = await findOrganization(call, organizationId);
    if (organization === undefined) return SUCCESS;
    for (const userId of chunkRows(requested))
      await deletePresence(call.database, { organization, documentId, userId });
    return SUCCESS;
  }),
};

async function savePresence(
  call: KeyCall,
  { organizationId, documentId, users: requested }: PresenceInput,
) {
  const organization = await ensureOrganization(call, organizationId);
  const rows = distinctBy(requested, ({ userId }) => userId).map(
    ({ userId, name, email, status, ...others }) => ({
      organization,
      documentId,
      userId,
      name: name ?? null,
      email: email ?? null,
      status: status ?? null,
      otherFields: serializeOtherFields(others),
      lastUpdated: call.now,
    }),
  );
  await upsertPresence(call.database, rows);
  return SUCCESS;
}
