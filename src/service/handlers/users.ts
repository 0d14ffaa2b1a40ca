import type * as z from 'zod/mini';
import type { Operations } from '../../catalog/index.ts';
import type { KeyCall } from '../calls/call.ts';
import { ensureDocument, requireDocument } from '../records/documents.ts';
import { ensureFolder, requireFolder } from '../records/folders.ts';
import { createItemResults, type ItemResult } from '../records/item-results.ts';
import {
  type MembershipTarget,
  selectMembers,
  updateMembers,
  upsertMembers,
} from '../records/members.ts';
import {
  ensureOrganization,
  findOrganization,
  requireOrganization,
} from '../records/organizations.ts';
import { generateId } from '../records/secrets.ts';
import { readUserDataPage } from '../records/user-data.ts';
import { selectUsers, toUserRow, type UserInput, upsertUsers } from '../records/users.ts';
import { chunkRows, distinctBy } from '../store/statements.ts';
import { type HandlersOf, lockingOnlyRows } from './handler.ts';
import { createPageToken, parsePageToken } from './page-token.ts';

type AddUsers = z.output<Operations['users.add.v2']['input']>;
type Role = AddUsers['users'][number]['accessRole'];
type RoleOf<User> = (user: User) => Role;
const ignoreRole: RoleOf<unknown> = () => undefined;
const readRole: RoleOf<{ readonly accessRole?: Role }> = ({ accessRole }) => accessRole;

export const users: HandlersOf<'users'> = {
  'users.add': lockingOnlyRows(async (call, input) => {
    const target = await resolveTarget(call, { ...input, createOrganization: true });
    return { data: await addUsers(call, target, input.users, ignoreRole) };
  }),

  'users.add.v2': lockingOnlyRows(async (call, input) => {
    const target = await resolveTarget(call, input);
    return { data: await addUsers(call, target, input.users, readRole) };
  }),

  'users.update': lockingOnlyRows(async (call, input) => ({
    data: await updateUsers(call, input, input.users, ignoreRole),
  })),

  'users.update.v2': lockingOnlyRows(async (call, input) => ({
    data: await updateUsers(call, input, input.users, readRole),
  })),

  'users.data': async (call, { organizationId, userId, pageToken: token }) => {
    const offset = token ? parsePageToken('user-data', token) : 0;
    const organization = await findOrganization(call, organizationId);
    if (organization === undefined) return { data: EMPTY_DATA, siblings: { nextPageToken: null } };
    const { data, next } = await readUserDataPage(call.database, { organization, userId, offset });
    return {
      data,
      siblings: { nextPageToken: next === undefined ? null : createPageToken('user-data', next) },
    };
  },
};

const EMPTY_DATA = { comments: [], reactions: [], recordings: [], notifications: [] };

/**
 * Creates missing levels if requested.
 * @throws Refusal INVALID_ARGUMENT if the target does not exist
 */
async function resolveTarget(
  call: KeyCall,
  input: Omit<AddUsers, 'users'>,
): Promise<MembershipTarget> {
  const { organizationId, documentId, folderId } = input;
  const organization = await (input.createOrganization ? ensureOrganization : requireOrganization)(
    call,
    organizationId,
  );
  if (documentId !== undefined) {
    if (input.createDocument) await ensureDocument(call, organization, documentId);
    await requireDocument(call.database, organization, documentId);
    return { organization, level: 'document', resourceId: documentId };
  }
  if (folderId !== undefined) {
    if (input.createFolder) await ensureFolder(call, organization, folderId);
    await requireFolder(call.database, organization, folderId);
    return { organization, level: 'folder', resourceId: folderId };
  }
  return { organization, level: 'organization', resourceId: '' };
}

async function addUsers<User extends UserInput>(
  { database, now }: KeyCall,
  target: MembershipTarget,
  requested: readonly User[],
  roleOf: RoleOf<User>,
) {
  const data = createItemResults();
  const added = distinctBy(requested, ({ userId }) => userId);
  const rows = added.map((user) => toUserRow(target.organization, user));
  for (const { userId, id } of await upsertUsers(database, rows))
    data[userId] = { success: true, id, message: 'User added.' };
  const members = added.map((user) => ({
    ...target,
    userId: user.userId,
    accessRole: roleOf(user) ?? null,
    addedAt: now,
  }));
  await upsertMembers(database, members);
  return data;
}

/**
 * Updates existing users. If the request contains a document or folder, updates only its members.
 */
async function updateUsers<User extends UserInput>(
  call: KeyCall,
  input: Pick<AddUsers, 'organizationId' | 'documentId' | 'folderId'>,
  changes: readonly User[],
  roleOf: RoleOf<User>,
) {
  const data = createItemResults();
  const hasOrganization = (await findOrganization(call, input.organizationId)) !== undefined;
  const target = hasOrganization ? await resolveTarget(call, input) : undefined;
  for (const batch of chunkRows(distinctBy(changes, ({ userId }) => userId))) {
    for (const { userId } of batch) data[userId] = { ...USER_NOT_FOUND, id: generateId() };
    const existing = target ? await findExistingUsers(call, target, batch) : [];
    if (!target || existing.length === 0) continue;
    const rows = existing.map((user) => toUserRow(target.organization, user));
    for (const { userId, id } of await upsertUsers(call.database, rows))
      data[userId] = { success: true, id, message: 'User updated.' };
    for (const [accessRole, usersOfRole] of Map.groupBy(existing, roleOf)) {
      const where = { ...target, userId: usersOfRole.map(({ userId }) => userId) };
      if (accessRole) await updateMembers(call.database, { set: { accessRole }, where });
    }
  }
  return data;
}

const USER_NOT_FOUND: ItemResult = { success: false, message: 'User does not exist.' };

async function findExistingUsers<User extends UserInput>(
  { database }: KeyCall,
  target: MembershipTarget,
  requested: readonly User[],
) {
  const userId = requested.map((user) => user.userId);
  const found =
    target.level === 'organization'
      ? await selectUsers(database, { organization: target.organization, userId })
      : await selectMembers(database, { ...target, userId });
  const existingIds = new Set(found.map(({ userId }) => userId));
  return requested.filter(({ userId }) => existingIds.has(userId));
}
