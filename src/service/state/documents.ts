import { generateDocumentNumber } from '../records/documents.ts';
import { ROOT } from '../records/folder.ts';
import { prepareSelect, prepareUpsert } from '../store/statements.ts';
import { batchByOrganization, omitUnset, readByOrganization, type Section } from './section.ts';

const COLUMNS = ['documentId', 'documentName', 'folderId', 'disabled', 'accessType'] as const;
const selectDocuments = prepareSelect('documents', COLUMNS, ['key']);
/** Has no order, for which SQLite would read all documents instead of looking up the IDs. */
const selectDocumentsById = prepareSelect('documents', COLUMNS);

const upsertDocuments = prepareUpsert('documents', ['organization', 'documentId'], {
  replaced: ['documentName', 'folderId', 'disabled', 'accessType'],
});

export const documents: Section<'documents'> = {
  read: (scope) =>
    readByOrganization(
      scope,
      selectDocuments,
      (organizationId, { documentId, documentName, folderId, disabled, accessType }) => ({
        organizationId,
        documentId,
        ...omitUnset({ documentName }),
        folderId: folderId ?? ROOT.folderId,
        disabled: disabled === 1,
        accessType,
      }),
    ),

  write: async (scope, records) => {
    for (const [organization, batch] of batchByOrganization(scope, records)) {
      const filter = { organization, documentId: batch.map(({ documentId }) => documentId) };
      const found = await selectDocumentsById(scope.database, filter);
      const existing = new Map(found.map((row) => [row.documentId, row]));
      const rows = batch.map(({ documentId, documentName, folderId, disabled, accessType }) => {
        const current = existing.get(documentId);
        const folder = folderId ?? current?.folderId ?? ROOT.folderId;
        return {
          organization,
          documentId,
          id: generateDocumentNumber(),
          documentName: documentName ?? current?.documentName ?? null,
          folderId: folder === ROOT.folderId ? null : folder,
          disabled: (disabled ?? current?.disabled === 1) ? 1 : 0,
          accessType: accessType ?? current?.accessType ?? ROOT.accessType,
          createdAt: scope.now,
        };
      });
      await upsertDocuments(scope.database, rows);
    }
  },
};
