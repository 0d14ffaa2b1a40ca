import { sql } from 'kysely';
import { DEFAULT_ACCESS_ROLE } from '../../catalog/access-roles.ts';
import type { AccessMembership } from '../../catalog/local/access.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import { ROOT } from './folder.ts';
import { findAllFolders } from './folders.ts';

const selectDocuments = prepareSelect('documents', [
  'documentId',
  'folderId',
  'accessType',
  'disabled',
]);

/** Reads the fields of all folders and documents of an organization that determine access. */
export async function readAccessContent(database: Database, organization: number) {
  const documents = await selectDocuments(database, { organization });
  return {
    folders: await findAllFolders(database, organization),
    documents: documents.map(({ folderId, disabled, ...document }) => ({
      ...document,
      folderId: folderId ?? ROOT.folderId,
      disabled: disabled === 1,
    })),
  };
}

export interface MemberRecord extends AccessMembership {
  readonly userId: string;
}

const MEMBERS_PER_PAGE = 10_000;

interface PageQuery {
  readonly organization: number;
  readonly level: string;
  readonly id: string;
  readonly userId: string;
}

const selectPage = prepareQuery(
  (_, { organization, level, id, userId }: PageQuery) => sql<
    Omit<MemberRecord, 'role'> & { readonly role: string | null }
  >`
    select "userId", level, "resourceId" as id, "accessRole" as role, "expiresAt" from members
    where organization = ${organization} and (level, "resourceId", "userId") > (${level}, ${id}, ${userId})
    order by level, "resourceId", "userId" limit ${sql.lit(MEMBERS_PER_PAGE)}`,
);

/** Yields the memberships of all users of an organization, in chunks. */
export async function* readMembers(
  database: Database,
  organization: number,
): AsyncGenerator<readonly MemberRecord[]> {
  let last = { level: '', id: '', userId: '' };
  for (;;) {
    const rows = await selectPage(database, { organization, ...last });
    if (rows.length > 0)
      yield rows.map(({ role, ...row }) => ({ ...row, role: role ?? DEFAULT_ACCESS_ROLE }));
    if (rows.length < MEMBERS_PER_PAGE) return;
    const { level, id, userId } = rows.at(-1) ?? last;
    last = { level, id, userId };
  }
}
