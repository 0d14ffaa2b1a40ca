import { randomInt } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { KeyCall } from '../call.ts';
import { invalidArgument } from '../refusal.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

interface DocumentFilter {
  readonly organization: number;
  readonly documentIds?: readonly string[] | undefined;
  /** A folder's ID, or `true` for documents outside any folder. */
  readonly folder?: string | true | undefined;
  /** Key of the last document of the previous page; 0 for the first page. */
  readonly after: number;
  /** Inlined into the SQL, because SQLite plans a query with a bound limit again on each execution. */
  readonly limit: bigint;
}

/** Selects documents in the order in which they were added. */
export const selectDocuments = prepareQuery(
  (database, { organization, documentIds, folder, after, limit }: DocumentFilter) => {
    const matching = database
      .selectFrom('documents')
      .select(['key', 'documentId', 'documentName', 'disabled', 'accessType'])
      .where('organization', '=', organization)
      .where('key', '>', after)
      .orderBy('key')
      .limit(sql.lit(limit));
    const selected = documentIds ? matching.where('documentId', 'in', documentIds) : matching;
    if (folder === undefined) return selected;
    return folder === true ? selected.where('folderId', 'is', null) : selected.where('folderId', '=', folder);
  },
);

/** Adds the documents that do not exist yet, and returns their IDs. */
export const insertDocuments = prepareQuery((database, rows: readonly Insertable<Tables['documents']>[]) =>
  database
    .insertInto('documents')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['organization', 'documentId']).doNothing())
    .returning(['documentId', 'id']),
);

/** Adds a document at the organization's top level if it does not exist. */
export async function ensureDocument(call: KeyCall, organization: number, documentId: string): Promise<void> {
  const { database, now } = call;
  await insertDocuments(database, [{ organization, documentId, id: generateDocumentNumber(), createdAt: now }]);
}

/** Generates the service's own ID of a document: 16 decimal digits. */
export function generateDocumentNumber(): string {
  return `${randomInt(10 ** 7, 10 ** 8)}${String(randomInt(10 ** 8)).padStart(8, '0')}`;
}

/** @throws Refusal INVALID_ARGUMENT if the document does not exist in the organization. */
export async function requireDocument(database: Database, organization: number, documentId: string): Promise<void> {
  const found = await selectDocuments(database, { organization, documentIds: [documentId], after: 0, limit: 1n });
  if (found.length === 0) throw invalidArgument('Document not found.');
}
