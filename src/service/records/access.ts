import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import type { MemberLevel } from '../store/tables.ts';
import type { Folder } from './folder.ts';
import { findFolders } from './folders.ts';

/** A level whose members are let in. */
interface Door {
  readonly level: MemberLevel;
  readonly resourceId: string;
}

const selectDocument = prepared((database, given: { readonly organization: number; readonly documentId: string }) =>
  database
    .selectFrom('documents')
    .select(['folderId', 'accessType'])
    .where('organization', '=', given.organization)
    .where('documentId', '=', given.documentId),
);

/** The levels whose members can open a document. */
export async function doorsTo(database: Database, organization: number, documentId: string): Promise<readonly Door[]> {
  const [document] = await selectDocument(database, { organization, documentId });
  if (!document) return [];
  const folders = document.folderId === null ? [] : await foldersUpFrom(database, organization, document.folderId);
  return admittingLevels([
    { level: 'document', resourceId: documentId, accessType: document.accessType },
    ...folders.map(({ folderId, accessType, inheritAccessFromParent: inherits }) => {
      return { level: 'folder', resourceId: folderId, accessType, inherits } as const;
    }),
    { level: 'organization', resourceId: '', accessType: 'public' },
  ]);
}

/** A level on the way from a document up to its organization. */
export interface AccessLevel extends Door {
  readonly accessType: string;
  /** Whether the level has its `accessType` from the level above. */
  readonly inherits?: boolean;
}

/**
 * The levels whose members are admitted: up to and including the first level that is restricted on its own account. A
 * folder that inherits its restriction admits the members of its parent too.
 * @param upwards the document, its folders from the innermost to the outermost, and the organization
 */
export function admittingLevels(upwards: readonly AccessLevel[]): readonly AccessLevel[] {
  const last = upwards.findIndex(({ accessType, inherits }) => accessType === 'restricted' && !inherits);
  return last < 0 ? upwards : upwards.slice(0, last + 1);
}

async function foldersUpFrom(database: Database, organization: number, folderId: string): Promise<readonly Folder[]> {
  const folder = (await findFolders(database, organization, [folderId])).get(folderId);
  if (!folder) return [];
  const above = await findFolders(database, organization, folder.ancestors);
  return [folder, ...folder.ancestors.toReversed().flatMap((ancestor) => above.get(ancestor) ?? [])];
}

interface Query {
  readonly organization: number;
  readonly doors: readonly Door[];
  readonly userIds: readonly string[];
  readonly now: number;
}

/** Who of these users is let in by one of the doors. */
export const selectLetIn = prepared((database, { organization, doors, userIds, now }: Query) =>
  database
    .selectFrom('members')
    .select('userId')
    .distinct()
    .where('organization', '=', organization)
    .where('userId', 'in', userIds)
    .where(({ eb, or }) => or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .where(({ eb, and, or }) =>
      or(doors.map(({ level, resourceId }) => and([eb('level', '=', level), eb('resourceId', '=', resourceId)]))),
    ),
);
