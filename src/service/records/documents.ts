import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { KeyCall } from '../calls/call.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { invalidArgument } from '../store/refusal.ts';
import { prepareInsert } from '../store/statements.ts';
import type { Database } from '../store/store.ts';

interface DocumentFilter {
  readonly organization: number;
  readonly documentIds?: readonly string[] | undefined;
  /** Folder ID, or `true` for documents without a folder. */
  readonly folder?: string | true | undefined;
  /** Key of the last document on the previous page, or 0 for the first page. */
  readonly after: number;
  /**
   * A bigint becomes part of the SQL. SQLite would plan a query with a bound limit again on each
   * execution.
   */
  readonly limit: bigint;
}

export const selectDocuments = prepareQuery(
  (database, { organization, documentIds, folder, after, limit }: DocumentFilter) => {
    // With the sign, SQLite looks up the IDs in their index. Without it, SQLite would read the
    // documents in order.
    const key = documentIds ? sql<number>`+${sql.ref('key')}` : sql<number>`${sql.ref('key')}`;
    const matching = database
      .selectFrom('documents')
      .select(['key', 'documentId', 'documentName', 'disabled', 'accessType'])
      .where('organization', '=', organization)
      .where(key, '>', after)
      .orderBy(key)
      .limit(sql.lit(limit));
    const selected = documentIds ? matching.where('documentId', 'in', documentIds) : matching;
    if (folder === undefined) return selected;
    return folder === true
      ? selected.where('folderId', 'is', null)
      : selected.where('folderId', '=', folder);
  },
);

export const insertDocuments = prepareInsert(
  'documents',
  ['organization', 'documentId'],
  ['documentId', 'id'],
);

export async function ensureDocument(
  call: KeyCall,
  organization: number,
  documentId: string,
): Promise<void> {
  const { database, now } = call;
  await insertDocuments(database, [
    { organization, documentId, id: generateDocumentNumber(), createdAt: now },
  ]);
}

export function generateDocumentNumber(): string {
  return `${randomInt(10 ** 7, 10 ** 8)}${String(randomInt(10 ** 8)).padStart(8, '0')}`;
}

/** @throws Refusal INVALID_ARGUMENT if the document does not exist in the organization */
export async function requireDocument(
  database: Database,
  organization: number,
  documentId: string,
): Promise<void> {
  const found = await selectDocuments(database, {
    organization,
    documentIds: [documentId],
    after: 0,
    limit: 1n,
  });
  if (found.length === 0) throw invalidArgument('Document not found.');
}
