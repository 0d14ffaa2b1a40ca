import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../call.ts';
import { keyOfToken, pageToken } from '../page-token.ts';
import { ensureDocument, requireDocument } from '../records/documents.ts';
import { ensureFolder, requireFolder } from '../records/folders.ts';
import { type ItemResult, itemResults } from '../records/item-results.ts';
import { type Place, selectMembers, setRole, upsertMembers } from '../records/members.ts';
import { ensureOrganization, findOrganization, requireOrganization } from '../records/organizations.ts';
import { userDataPage } from '../records/user-data.ts';
import { type GivenUser, selectUsers, upsertUsers, userRow } from '../records/users.ts';
import { distinctBatchesOf } from '../store/batches.ts';
import type { HandlersOf } from './handler.ts';

type AddUsers = z.output<Operations['users.add.v2']['input']>;
type Role = AddUsers['users'][number]['accessRole'];
type RoleOf<User> = (user: User) => Role;

/** Only the v2 operations know roles. */
const NO_ROLE: RoleOf<unknown> = () => undefined;
const ITS_ROLE: RoleOf<{ readonly accessRole?: Role }> = ({ accessRole }) => accessRole;

export const users: HandlersOf<'users'> = {
  'users.add': async (call, input) => {
    const place = await placeOf(call, { ...input, createOrganization: true });
    return { data: await addUsers(call, place, input.users, NO_ROLE) };
  },

  'users.add.v2': async (call, input) => {
    const place = await placeOf(call, input);
    return { data: await addUsers(call, place, input.users, ITS_ROLE) };
  },

  'users.update': async (call, input) => ({ data: await updateUsers(call, input, input.users, NO_ROLE) }),

  'users.update.v2': async (call, input) => ({ data: await updateUsers(call, input, input.users, ITS_ROLE) }),

  'users.data': async (call, { organizationId, userId, pageToken: token }) => {
    const offset = token ? keyOfToken('user-data', token) : 0;
    const organization = await findOrganization(call, organizationId);
    if (organization === undefined) return { data: NO_DATA, siblings: { nextPageToken: null } };
    const { data, next } = await userDataPage(call.database, { organization, userId, offset });
    return { data, siblings: { nextPageToken: next === undefined ? null : pageToken('user-data', next) } };
  },
};

const NO_DATA = { comments: [], reactions: [], recordings: [], notifications: [] };

/**
 * Where a call wants its users.
 * @throws Refusal INVALID_ARGUMENT where that does not exist, and the call does not say to create it.
 */
async function placeOf(call: KeyCall, given: Omit<AddUsers, 'users'>): Promise<Place> {
  const { organizationId, documentId, folderId } = given;
  const organization = await (given.createOrganization ? ensureOrganization : requireOrganization)(
    call,
    organizationId,
  );
  if (documentId !== undefined) {
    if (given.createDocument) await ensureDocument(call, organization, documentId);
    await requireDocument(call.database, organization, documentId);
    return { organization, level: 'document', resourceId: documentId };
  }
  if (folderId !== undefined) {
    if (given.createFolder) await ensureFolder(call, organization, folderId);
    await requireFolder(call.database, organization, folderId);
    return { organization, level: 'folder', resourceId: folderId };
  }
  return { organization, level: 'organization', resourceId: '' };
}

async function addUsers<User extends GivenUser>(
  { database, now }: KeyCall,
  place: Place,
  given: readonly User[],
  roleOf: RoleOf<User>,
) {
  const data = itemResults();
  for (const batch of distinctBatchesOf(given, ({ userId }) => userId)) {
    const rows = batch.map((user) => userRow(place.organization, user));
    for (const { userId, id } of await upsertUsers(database, rows)) {
      data[userId] = { success: true, id, message: 'User added.' };
    }
    const members = batch.map((user) => ({
      ...place,
      userId: user.userId,
      accessRole: roleOf(user) ?? null,
      addedAt: now,
    }));
    await upsertMembers(database, members);
  }
  return data;
}

/** Users who do not exist, or are no members of the document or folder that is given, are left alone. */
async function updateUsers<User extends GivenUser>(
  call: KeyCall,
  given: Pick<AddUsers, 'organizationId' | 'documentId' | 'folderId'>,
  changes: readonly User[],
  roleOf: RoleOf<User>,
) {
  const data = itemResults();
  const isKnown = (await findOrganization(call, given.organizationId)) !== undefined;
  const place = isKnown ? await placeOf(call, given) : undefined;
  for (const batch of distinctBatchesOf(changes, ({ userId }) => userId)) {
    for (const { userId } of batch) data[userId] = UNKNOWN_USER;
    const known = place ? await knownUsers(call, place, batch) : [];
    if (!place || known.length === 0) continue;
    const rows = known.map((user) => userRow(place.organization, user));
    for (const { userId, id } of await upsertUsers(call.database, rows)) {
      data[userId] = { success: true, id, message: 'User updated.' };
    }
    for (const [accessRole, itsUsers] of Map.groupBy(known, roleOf)) {
      const userIds = itsUsers.map(({ userId }) => userId);
      if (accessRole) await setRole(call.database, { ...place, accessRole, userIds });
    }
  }
  return data;
}

const UNKNOWN_USER: ItemResult = { success: false, message: 'User does not exist.' };

async function knownUsers<User extends GivenUser>({ database }: KeyCall, place: Place, given: readonly User[]) {
  const userIds = given.map(({ userId }) => userId);
  const found =
    place.level === 'organization'
      ? await selectUsers(database, { organization: place.organization, userIds })
      : await selectMembers(database, { ...place, userIds });
  const known = new Set(found.map(({ userId }) => userId));
  return given.filter(({ userId }) => known.has(userId));
}
