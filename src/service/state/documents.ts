import type { Insertable } from 'kysely';
import { documentNumber } from '../records/documents.ts';
import { ROOT } from '../records/folder.ts';
import { prepared } from '../store/prepared.ts';
import type { Tables } from '../store/tables.ts';
import { batchesByOrganization, present, readEach, type Section } from './section.ts';

const select = prepared((database, { organization }: { readonly organization: number }) =>
  database
    .selectFrom('documents')
    .select(['documentId', 'documentName', 'folderId', 'disabled', 'accessType'])
    .where('organization', '=', organization)
    .orderBy('key'),
);

const selectSome = prepared((database, given: { readonly organization: number; readonly ids: readonly string[] }) =>
  database
    .selectFrom('documents')
    .select(['documentId', 'documentName', 'folderId', 'disabled', 'accessType'])
    .where('organization', '=', given.organization)
    .where('documentId', 'in', given.ids),
);

const upsert = prepared((database, rows: readonly Insertable<Tables['documents']>[]) =>
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
    readEach(scope, select, (organizationId, { documentId, documentName, folderId, disabled, accessType }) => ({
      organizationId,
      documentId,
      ...present({ documentName }),
      folderId: folderId ?? ROOT.folderId,
      disabled: disabled === 1,
      accessType,
    })),

  write: async (scope, records) => {
    for (const [organization, batch] of batchesByOrganization(scope, records)) {
      const ids = batch.map(({ documentId }) => documentId);
      const found = await selectSome(scope.database, { organization, ids });
      const before = new Map(found.map((row) => [row.documentId, row]));
      const rows = batch.map(({ documentId, documentName, folderId, disabled, accessType }) => {
        const known = before.get(documentId);
        const folder = folderId ?? known?.folderId ?? ROOT.folderId;
        return {
          organization,
          documentId,
          id: documentNumber(),
          documentName: documentName ?? known?.documentName ?? null,
          folderId: folder === ROOT.folderId ? null : folder,
          disabled: (disabled ?? known?.disabled === 1) ? 1 : 0,
          accessType: accessType ?? known?.accessType ?? ROOT.accessType,
          createdAt: scope.now,
        };
      });
      await upsert(scope.database, rows);
    }
  },
};
