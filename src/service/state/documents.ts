import type { Insertable } from 'kysely';
import { generateDocumentNumber } from '../records/documents.ts';
import { ROOT } from '../records/folder.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Tables } from '../store/tables.ts';
import { batchByOrganization, omitUnset, readByOrganization, type Section } from './section.ts';

const select = prepareQuery((database, { organization }: { readonly organization: number }) =>
  database
    .selectFrom('documents')
    .select(['documentId', 'documentName', 'folderId', 'disabled', 'accessType'])
    .where('organization', '=', organization)
    .orderBy('key'),
);

const selectByIds = prepareQuery(
  (database, filter: { readonly organization: number; readonly ids: readonly string[] }) =>
    database
      .selectFrom('documents')
      .select(['documentId', 'documentName', 'folderId', 'disabled', 'accessType'])
      .where('organization', '=', filter.organization)
      .where('documentId', 'in', filter.ids),
);

const upsert = prepareQuery((database, rows: readonly Insertable<Tables['documents']>[]) =>
  database
    .insertInto('documents')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['organization', 'documentId']).doUpdateSet(({ ref }) => ({
        documentName: ref('excluded.documentName'),
        folderId: ref('excluded.folderId'),
        disabled: ref('excluded.disabled'),
        accessType: ref('excluded.accessType'),
      })),
    ),
);

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
      const ids = batch.map(({ documentId }) => documentId);
      const found = await selectByIds(scope.database, { organization, ids });
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
