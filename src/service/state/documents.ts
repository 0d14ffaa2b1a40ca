import { generateDocumentNumber } from '../records/documents.ts';
import { ROOT } from '../records/folder.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareUpsert } from '../store/upsert.ts';
import { batchByOrganization, omitUnset, readByOrganization, type Section } from './section.ts';

/** Selects the documents of an organization, or the given ones, oldest first. */
const select = prepareQuery((database, filter: { organization: number; documentIds?: readonly string[] }) => {
  const all = database
    .selectFrom('documents')
    .select(['documentId', 'documentName', 'folderId', 'disabled', 'accessType'])
    .where('organization', '=', filter.organization)
    .orderBy('key');
  return filter.documentIds ? all.where('documentId', 'in', filter.documentIds) : all;
});

const upsert = prepareUpsert('documents', ['organization', 'documentId'], {
  replaced: ['documentName', 'folderId', 'disabled', 'accessType'],
});

export const documents: Section<'documents'> = {
  read: (scope) =>
    readByOrganization(
      scope,
      select,
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
      const documentIds = batch.map(({ documentId }) => documentId);
      const found = await select(scope.database, { organization, documentIds });
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
      await upsert(scope.database, rows);
    }
  },
};
