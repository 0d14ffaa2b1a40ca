import { generateDocumentNumber, insertDocuments, selectDocuments } from '../records/documents.ts';
import { ROOT } from '../records/folder.ts';
import { requireFolder } from '../records/folders.ts';
import { alreadyExists, createItemResults } from '../records/item-results.ts';
import { ensureOrganization, findOrganization } from '../records/organizations.ts';
import { distinctBy } from '../store/statements.ts';
import { type HandlersOf, lockingOnlyRows } from './handler.ts';
import { createPageToken, parsePageToken } from './page-token.ts';

const DEFAULT_PAGE_SIZE = 1000;

export const documents: HandlersOf<'documents'> = {
  'documents.list': async (call, input) => {
    const {
      organizationId,
      documentIds,
      folderId,
      pageSize = DEFAULT_PAGE_SIZE,
      pageToken: token,
    } = input;
    const organization = await findOrganization(call, organizationId);
    if (organization === undefined) return { data: [] };
    const found = await selectDocuments(call.database, {
      organization,
      documentIds,
      folder: folderId === ROOT.folderId ? true : folderId,
      after: token ? parsePageToken('documents', token) : 0,
      limit: BigInt(pageSize) + 1n,
    });
    const page = found.slice(0, pageSize);
    const last = page.at(-1);
    const siblings =
      found.length > pageSize && last ? { pageToken: createPageToken('documents', last.key) } : {};
    return { data: page.map(toDocumentRecord), siblings };
  },

  'documents.add': lockingOnlyRows(
    async (call, { organizationId, folderId, documents: requested }) => {
      const { database, now } = call;
      const organization = await ensureOrganization(call, organizationId);
      const folder = folderId === undefined || folderId === ROOT.folderId ? null : folderId;
      if (folder !== null) await requireFolder(database, organization, folder);
      const data = createItemResults();
      const added = distinctBy(requested, ({ documentId }) => documentId);
      const rows = added.map(({ documentId, documentName }) => ({
        organization,
        documentId,
        documentName: documentName ?? null,
        folderId: folder,
        id: generateDocumentNumber(),
        createdAt: now,
      }));
      for (const { documentId } of added) data[documentId] = alreadyExists('Document');
      for (const { documentId, id } of await insertDocuments(database, rows))
        data[documentId] = { success: true, id, message: 'Added Successfully' };
      return { data };
    },
  ),
};

type DocumentRow = Awaited<ReturnType<typeof selectDocuments>>[number];

function toDocumentRecord({ documentId, documentName, disabled, accessType }: DocumentRow) {
  return {
    id: documentId,
    ...(documentName !== null && { documentName }),
    disabled: disabled === 1,
    accessType,
  };
}
