import type { Insertable } from 'kysely';
import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import type { user } from '../../catalog/users.ts';
import { requireDocument } from '../records/documents.ts';
import { requireFolder } from '../records/folders.ts';
import { itemResults } from '../records/item-results.ts';
import { ensureOrganization } from '../records/organizations.ts';
import { newId } from '../secrets.ts';
import { batchesOf } from '../store/batches.ts';
import type { Database } from '../store/store.ts';
import type { MemberLevel, Tables } from '../store/tables.ts';
import type { HandlersOf, KeyCall } from './handler.ts';

type AddUsers = z.output<Operations['users.add']['input']>;
type User = z.output<typeof user>;

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
      for (const { userId, id } of await upsertUsers(call.database, place.organization, batch)) {
        data[userId] = { success: true, id, message: 'User added.' };
      }
      await addMembers(call, place, batch);
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

/** Adds users, or updates what is given of the ones that exist, and tells the service's own id of each. */
function upsertUsers(database: Database, organization: number, batch: readonly User[]) {
  return database
    .insertInto('users')
    .values(batch.map((given) => userRow(organization, given)))
    .onConflict((conflict) =>
      conflict.columns(['organization', 'userId']).doUpdateSet(({ fn, ref }) => ({
        name: fn.coalesce(ref('excluded.name'), ref('users.name')),
        email: fn.coalesce(ref('excluded.email'), ref('users.email')),
        initial: fn.coalesce(ref('excluded.initial'), ref('users.initial')),
        otherFields: fn.coalesce(ref('excluded.otherFields'), ref('users.otherFields')),
      })),
    )
    .returning(['userId', 'id'])
    .execute();
}

function userRow(organization: number, given: User): Insertable<Tables['users']> {
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

async function addMembers({ database, now }: KeyCall, place: Place, batch: readonly User[]): Promise<void> {
  await database
    .insertInto('members')
    .values(batch.map(({ userId }) => ({ ...place, userId, addedAt: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
