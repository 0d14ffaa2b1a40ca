import { invalidArgument } from '../errors.ts';
import type { Database } from '../store/store.ts';

/** @throws ServiceError INVALID_ARGUMENT where the organization has no such document. */
export async function requireDocument(database: Database, organization: number, documentId: string): Promise<void> {
  const found = await database
    .selectFrom('documents')
    .select('key')
    .where('organization', '=', organization)
    .where('documentId', '=', documentId)
    .executeTakeFirst();
  if (!found) throw invalidArgument('Document not found.');
}
