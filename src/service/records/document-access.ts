import { DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import type { MemberLevel } from '../store/tables.ts';
import { type AccessDecision, type AccessLevelSettings, createAccessCheck, type DocumentAccess } from './access.ts';
import { findFolders } from './folders.ts';

const selectDocuments = prepareSelect('documents', ['folderId', 'accessType', 'disabled']);

/** Reads the access settings of a document and of its folders. The organization has no ID. Undefined if there is none. */
export async function findDocumentAccess(
  database: Database,
  organization: number,
  documentId: string,
): Promise<DocumentAccess | undefined> {
  const [document] = await selectDocuments(database, { organization, documentId });
  if (!document) return undefined;
  const { folderId, accessType, disabled } = document;
  const folder = folderId === null ? undefined : (await findFolders(database, organization, [folderId])).get(folderId);
  const ancestors = await findFolders(database, organization, folder?.ancestors ?? []);
  const outer = folder?.ancestors.toReversed().flatMap((ancestorId) => ancestors.get(ancestorId) ?? []) ?? [];
  const path: AccessLevelSettings[] = [{ level: 'document', id: documentId, accessType }];
  for (const { folderId: id, inheritAccessFromParent: inherited, ...own } of folder ? [folder, ...outer] : []) {
    path.push({ level: 'folder', id, accessType: own.accessType, inherited });
  }
  return { disabled: disabled === 1, path: [...path, { level: 'organization', id: '', accessType: 'public' }] };
}

interface AccessQuery {
  readonly organization: number;
  readonly userIds: readonly string[];
  readonly now: number;
}

const LEVELS: readonly MemberLevel[] = ['organization', 'folder', 'document'];

interface MembershipQuery extends Omit<AccessQuery, 'now'> {
  readonly levels: readonly MemberLevel[];
  readonly ids: readonly string[];
}

/**
 * Selects memberships of users in any of the levels with any of the IDs, which includes all levels of a document. With pairs
 * of level and ID, SQLite would read all members of the organization.
 */
const selectMemberships = prepareQuery((database, { organization, levels, ids, userIds }: MembershipQuery) =>
  database
    .selectFrom('members')
    .select(['userId', 'level', 'resourceId as id', 'accessRole', 'expiresAt'])
    .where('organization', '=', organization)
    .where('level', 'in', levels)
    .where('resourceId', 'in', ids)
    .where('userId', 'in', userIds),
);

/** Decides about each of the users. Nobody has access to a document that does not exist. */
export async function decideAccess(
  database: Database,
  { organization, userIds, now }: AccessQuery,
  document: DocumentAccess = { disabled: false, path: [] },
): Promise<ReadonlyMap<string, AccessDecision>> {
  const ids = document.path.map(({ id }) => id);
  const found = ids.length === 0 ? [] : await selectMemberships(database, { organization, levels: LEVELS, ids, userIds });
  const memberships = Map.groupBy(
    found.map(({ accessRole, ...row }) => ({ ...row, role: accessRole ?? DEFAULT_ACCESS_ROLE })),
    ({ userId }) => userId,
  );
  const check = createAccessCheck(document, now);
  return new Map(userIds.map((userId) => [userId, check(memberships.get(userId) ?? [])]));
}
