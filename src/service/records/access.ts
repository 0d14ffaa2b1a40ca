import { prepareQuery } from '../store/prepared-query.ts';
import { prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import type { MemberLevel } from '../store/tables.ts';
import type { Folder } from './folder.ts';
import { findFolders } from './folders.ts';

interface AccessLevel {
  readonly level: MemberLevel;
  readonly resourceId: string;
}

const selectDocument = prepareSelect('documents', ['folderId', 'accessType']);

export async function findGrantingLevels(
  database: Database,
  organization: number,
  documentId: string,
): Promise<readonly AccessLevel[]> {
  const [document] = await selectDocument(database, { organization, documentId });
  if (!document) return [];
  const folders = document.folderId === null ? [] : await findFolderPath(database, organization, document.folderId);
  return grantingLevelsOf([
    { level: 'document', resourceId: documentId, accessType: document.accessType },
    ...folders.map(({ folderId, accessType, inheritAccessFromParent: isInherited }) => {
      return { level: 'folder', resourceId: folderId, accessType, isInherited } as const;
    }),
    { level: 'organization', resourceId: '', accessType: 'public' },
  ]);
}

/** A level between a document and its organization, with its access settings. */
export interface AccessLevelSettings extends AccessLevel {
  readonly accessType: string;
  /** Whether `accessType` is inherited from the level above. */
  readonly isInherited?: boolean;
}

/**
 * Selects the levels whose members have access: all levels up to the first with a restriction of its own. An inherited
 * restriction also allows members of the parent folder.
 * @param path the document, its folders from the innermost to the outermost, and the organization
 */
export function grantingLevelsOf(path: readonly AccessLevelSettings[]): readonly AccessLevelSettings[] {
  const boundary = path.findIndex(({ accessType, isInherited }) => accessType === 'restricted' && !isInherited);
  return boundary < 0 ? path : path.slice(0, boundary + 1);
}

async function findFolderPath(database: Database, organization: number, folderId: string): Promise<readonly Folder[]> {
  const folder = (await findFolders(database, organization, [folderId])).get(folderId);
  if (!folder) return [];
  const ancestors = await findFolders(database, organization, folder.ancestors);
  return [folder, ...folder.ancestors.toReversed().flatMap((ancestorId) => ancestors.get(ancestorId) ?? [])];
}

interface AccessQuery {
  readonly organization: number;
  readonly levels: readonly AccessLevel[];
  readonly userIds: readonly string[];
  readonly now: number;
}

export const selectUsersWithAccess = prepareQuery((database, { organization, levels, userIds, now }: AccessQuery) =>
  database
    .selectFrom('members')
    .select('userId')
    .distinct()
    .where('organization', '=', organization)
    .where('userId', 'in', userIds)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .where(({ eb, and, or }) =>
      or(levels.map(({ level, resourceId }) => and([eb('level', '=', level), eb('resourceId', '=', resourceId)]))),
    ),
);
