import { randomInt } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { KeyCall } from '../call.ts';
import { invalidArgument } from '../refusal.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

interface Filter {
  readonly organization: number;
  readonly documentIds?: readonly string[] | undefined;
  /** A folder's id, or true for those in none. */
  readonly folder?: string | true | undefined;
  /** Behind the document of this key. */
  readonly after: number;
  /** Written into the query: SQLite would plan one with a variable limit anew each time. */
  readonly limit: bigint;
}

/** Documents in the order of their adding. */
export const selectDocuments = prepared((database, { organization, documentIds, folder, after, limit }: Filter) => {
  const matching = database
    .selectFrom('documents')
    .select(['key', 'documentId', 'documentName', 'disabled', 'accessType'])
    .where('organization', '=', organization)
    .where('key', '>', after)
    .orderBy('key')
    .limit(sql.lit(limit));
  const named = documentIds ? matching.where('documentId', 'in', documentIds) : matching;
  if (folder === undefined) return named;
  return folder === true ? named.where('folderId', 'is', null) : named.where('folderId', '=', folder);
});

/** Adds the documents that do not exist yet, and tells which those are. */
export const insertDocuments = prepared((database, rows: readonly Insertable<Tables['documents']>[]) =>
  database
    .insertInto('documents')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['organization', 'documentId']).doNothing())
    .returning(['documentId', 'id']),
);

/** Adds a document at the organization's top level, unless it exists. */
export async function ensureDocument(call: KeyCall, organization: number, documentId: string): Promise<void> {
  const { database, now } = call;
  await insertDocuments(database, [{ organization, documentId, id: documentNumber(), createdAt: now }]);
}

/** The service's own id of a document: 16 decimal digits. */
export function documentNumber(): string {
  return `${randomInt(10 ** 7, 10 ** 8)}${String(randomInt(10 ** 8)).padStart(8, '0')}`;
}

/** @throws Refusal INVALID_ARGUMENT where the organization has no such document. */
export async function requireDocument(database: Database, organization: number, documentId: string): Promise<void> {
  const found = await selectDocuments(database, { organization, documentIds: [documentId], after: 0, limit: 1n });
  if (found.length === 0) throw invalidArgument('Document not found.');
}
