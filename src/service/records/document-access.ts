import { sql } from 'kysely';
import { DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import type { AccessDecision, DocumentAccess } from '../../catalog/local/access.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import { createAccessCheck, createAccessPath } from './access.ts';
import { findFolders } from './folders.ts';

const selectDocuments = prepareSelect('documents', ['folderId', 'accessType', 'disabled']);

/** Reads the access settings of a document and its folders. The ID of the organization is empty. */
export async function findDocumentAccess(
  database: Database,
  organization: number,
  documentId: string,
): Promise<DocumentAccess | undefined> {
  const [document] = await selectDocuments(database, { organization, documentId });
  if (!document) return undefined;
  const { folderId, accessType, disabled } = document;
  const folder =
    folderId === null
      ? undefined
      : (await findFolders(database, organization, [folderId])).get(folderId);
  const ancestors = await findFolders(database, organization, folder?.ancestors ?? []);
  const outer =
    folder?.ancestors.toReversed().flatMap((ancestorId) => ancestors.get(ancestorId) ?? []) ?? [];
  const folders = folder ? [folder, ...outer] : [];
  return {
    disabled: disabled === 1,
    path: [{ level: 'document', id: documentId, accessType }, ...createAccessPath(folders)],
  };
}

interface AccessQuery {
  readonly organization: number;
  readonly userIds: readonly string[];
  readonly now: number;
}

const selectMemberships = prepareQuery(
  (database, query: Omit<AccessQuery, 'now'> & Pick<DocumentAccess, 'path'>) =>
    database
      .selectFrom('members')
      .select(['userId', 'level', 'resourceId as id', 'accessRole', 'expiresAt'])
      .where('organization', '=', query.organization)
      .where('userId', 'in', query.userIds)
      .where(
        // Unlike alternatives with `or`, SQLite looks up a list of pairs in the index.
        sql<boolean>`(${sql.ref('level')}, ${sql.ref('resourceId')}) in (values ${sql.join(
          query.path.map(({ level, id }) => sql`(${level}, ${id})`),
        )})`,
      ),
);

/** Decides about each of the users. Nobody has access to a document that does not exist. */
export async function decideAccess(
  database: Database,
  { organization, userIds, now }: AccessQuery,
  document: DocumentAccess = { disabled: false, path: [] },
): Promise<ReadonlyMap<string, AccessDecision>> {
  const path = document.path.map(({ level, id, accessType }) => ({ level, id, accessType }));
  const found =
    path.length > 0 ? await selectMemberships(database, { organization, userIds, path }) : [];
  const memberships = Map.groupBy(
    found.map(({ accessRole, ...row }) => ({ ...row, role: accessRole ?? DEFAULT_ACCESS_ROLE })),
    ({ userId }) => userId,
  );
  const check = createAccessCheck(document, now);
  return new Map(userIds.map((userId) => [userId, check(memberships.get(userId) ?? [])]));
}
