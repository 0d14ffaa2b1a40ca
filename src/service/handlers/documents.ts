import { randomInt } from 'node:crypto';
import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import { keyOfToken, pageToken } from '../page-token.ts';
import { ROOT } from '../records/folder.ts';
import { requireFolder } from '../records/folders.ts';
import { alreadyExists, itemResults } from '../records/item-results.ts';
import { ensureOrganization, findOrganization } from '../records/organizations.ts';
import { batchesOf } from '../store/batches.ts';
import type { Database } from '../store/store.ts';
import type { HandlersOf } from './handler.ts';

/** Documents on a page where the request does not say. */
const PAGE_SIZE = 1000;

export const documents: HandlersOf<'documents'> = {
  'documents.list': async (call, input) => {
    const organization = await findOrganization(call, input.organizationId);
    if (organization === undefined) return { data: [] };
    const size = input.pageSize ?? PAGE_SIZE;
    const found = await selectPage(call.database, organization, input, size + 1);
    const page = found.slice(0, size);
    const last = page.at(-1);
    const siblings = found.length > size && last ? { pageToken: pageToken('documents', last.key) } : {};
    return { data: page.map(documentRecord), siblings };
  },

  'documents.add': async (call, { organizationId, folderId, documents: given }) => {
    const { database, now } = call;
    const organization = await ensureOrganization(call, organizationId);
    const folder = folderId === undefined || folderId === ROOT.folderId ? null : folderId;
    if (folder !== null) await requireFolder(database, organization, folder);
    const byId = new Map(given.map((document) => [document.documentId, document]));
    const data = itemResults();
    for (const batch of batchesOf([...byId.values()])) {
      const added = await database
        .insertInto('documents')
        .values(
          batch.map(({ documentId, documentName }) => ({
            organization,
            documentId,
            documentName: documentName ?? null,
            folderId: folder,
            id: documentNumber(),
            createdAt: now,
          })),
        )
        .onConflict((conflict) => conflict.columns(['organization', 'documentId']).doNothing())
        .returning(['documentId', 'id'])
        .execute();
      for (const { documentId } of batch) data[documentId] = alreadyExists('Document');
      for (const { documentId, id } of added) data[documentId] = { success: true, id, message: 'Added Successfully' };
    }
    return { data };
  },
};

type ListDocuments = z.output<Operations['documents.list']['input']>;

function selectPage(database: Database, organization: number, input: ListDocuments, limit: number) {
  const { documentIds, folderId, pageToken: token } = input;
  let query = database
    .selectFrom('documents')
    .select(['key', 'documentId', 'documentName', 'disabled', 'accessType'])
    .where('organization', '=', organization)
    .orderBy('key')
    .limit(limit);
  if (documentIds) query = query.where('documentId', 'in', documentIds);
  if (folderId === ROOT.folderId) query = query.where('folderId', 'is', null);
  else if (folderId !== undefined) query = query.where('folderId', '=', folderId);
  if (token) query = query.where('key', '>', keyOfToken('documents', token));
  return query.execute();
}

type DocumentRow = Awaited<ReturnType<typeof selectPage>>[number];

function documentRecord({ documentId, documentName, disabled, accessType }: DocumentRow) {
  return { id: documentId, ...(documentName !== null && { documentName }), disabled: disabled === 1, accessType };
}

/** The service's own id of a document: 16 decimal digits. */
function documentNumber(): string {
  return `${randomInt(10 ** 7, 10 ** 8)}${String(randomInt(10 ** 8)).padStart(8, '0')}`;
}
