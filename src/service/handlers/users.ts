import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import { requireDocument } from '../records/documents.ts';
import { requireFolder } from '../records/folders.ts';
import { itemResults } from '../records/item-results.ts';
import { ensureOrganization } from '../records/organizations.ts';
import { insertMembers, type UserRow, upsertUsers } from '../records/users.ts';
import { newId } from '../secrets.ts';
import { batchesOf } from '../store/batches.ts';
import type { MemberLevel } from '../store/tables.ts';
import type { HandlersOf, KeyCall } from './handler.ts';

type AddUsers = z.output<Operations['users.add']['input']>;
type User = AddUsers['users'][number];

/** Where users are added. Being a member of one level says nothing about any other. */
interface Place {
  readonly organization: number;
  readonly level: MemberLevel;
  readonly resourceId: string;
}

export const users: HandlersOf<'users'> = {
  'users.add': async (call, input) => {
    const place = await placeOf(call, input);
    const byId = new Map(input.users.map((given) => [given.userId, given]));
    const data = itemResults();
    for (const batch of batchesOf([...byId.values()])) {
      const rows = batch.map((given) => userRow(place.organization, given));
      for (const { userId, id } of await upsertUsers(call.database, rows)) {
        data[userId] = { success: true, id, message: 'User added.' };
      }
      const members = batch.map(({ userId }) => ({ ...place, userId, addedAt: call.now }));
      await insertMembers(call.database, members);
    }
    return { data };
  },
};

async function placeOf(call: KeyCall, { organizationId, documentId, folderId }: AddUsers): Promise<Place> {
  const organization = await ensureOrganization(call, organizationId);
  if (documentId !== undefined) {
    await requireDocument(call.database, organization, documentId);
    return { organization, level: 'document', resourceId: documentId };
  }
  if (folderId !== undefined) {
    await requireFolder(call.database, organization, folderId);
    return { organization, level: 'folder', resourceId: folderId };
  }
  return { organization, level: 'organization', resourceId: '' };
}

function userRow(organization: number, given: User): UserRow {
  const { userId, name, email, initial, ...others } = given;
  return {
    organization,
    userId,
    id: newId(),
    name: name ?? null,
    email: email ?? null,
    initial: initial ?? initialOf(name) ?? null,
    otherFields: Object.keys(others).length > 0 ? JSON.stringify(others) : null,
  };
}

/** The first letter or digit of a name, as a capital. */
function initialOf(name = ''): string | undefined {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase();
}
