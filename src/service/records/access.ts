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

/** The levels whose members can open a document: its own and those above it, up to the first that is restricted. */
export async function doorsTo(database: Database, organization: number, documentId: string): Promise<readonly Door[]> {
  const [document] = await selectDocument(database, { organization, documentId });
  if (!document) return [];
  const folders = document.folderId === null ? [] : await foldersUpFrom(database, organization, document.folderId);
  const upwards: readonly (Door & { readonly accessType: string })[] = [
    { level: 'document', resourceId: documentId, accessType: document.accessType },
    ...folders.map(({ folderId, accessType }) => ({ level: 'folder' as const, resourceId: folderId, accessType })),
    { level: 'organization', resourceId: '', accessType: 'public' },
  ];
  const shut = upwards.findIndex(({ accessType }) => accessType === 'restricted');
  return shut < 0 ? upwards : upwards.slice(0, shut + 1);
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
