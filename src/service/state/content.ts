import type { State } from '../../catalog/state.ts';
import { selectActivities } from '../records/activities.ts';
import { generateDocumentNumber } from '../records/documents.ts';
import { type Editor, parseTypes, selectEditors } from '../records/editor-rows.ts';
import { type Folder, moveFolderTree, ROOT } from '../records/folder.ts';
import { findAllFolders, saveFolders } from '../records/folders.ts';
import { prepareSelect, prepareUpsert } from '../store/statements.ts';
import {
  batchByOrganization,
  omitUnset,
  parseOtherFields,
  readByOrganization,
  type Section,
  type StateScope,
} from './section.ts';

export const folders: Section<'folders'> = {
  read: (scope) =>
    readByOrganization(
      scope,
      (database, { organization }) => findAllFolders(database, organization),
      (organizationId, folder) => {
        const { folderId, folderName, ancestors, ...others } = folder;
        return {
          organizationId,
          folderId,
          ...omitUnset({ folderName }),
          ...others,
          ancestors: [...ancestors],
        };
      },
    ),

  write: async (scope, records) => {
    for (const [organizationId, own] of Map.groupBy(records, (record) => record.organizationId)) {
      const organization = scope.organizations.get(organizationId);
      if (organization === undefined)
        throw new TypeError(`organization ${organizationId} was not created before its folders`);
      const folders = new Map(
        (await findAllFolders(scope.database, organization)).map((folder) => [
          folder.folderId,
          folder,
        ]),
      );
      for (const record of own)
        folders.set(record.folderId, mergeFolder(scope, record, folders.get(record.folderId)));
      await saveFolders(
        scope.database,
        organization,
        moveFolderTree(sortParentsFirst([...folders.values()]), ROOT),
      );
    }
  },
};

function mergeFolder(
  { now }: StateScope,
  record: State['folders'][number],
  current: Folder | undefined,
): Folder {
  const accessType = record.accessType ?? current?.accessType ?? ROOT.accessType;
  const inherits = record.accessType === undefined && (current?.inheritAccessFromParent ?? true);
  return {
    folderId: record.folderId,
    folderName: record.folderName ?? current?.folderName ?? null,
    parentFolderId: record.parentFolderId ?? current?.parentFolderId ?? ROOT.folderId,
    ancestors: [],
    accessType,
    inheritAccessFromParent: record.inheritAccessFromParent ?? inherits,
    createdAt: record.createdAt ?? current?.createdAt ?? now,
    lastUpdated: record.lastUpdated ?? current?.lastUpdated ?? record.createdAt ?? now,
  };
}

function sortParentsFirst(all: readonly Folder[]): readonly Folder[] {
  const children = Map.groupBy(all, ({ parentFolderId }) => parentFolderId);
  const ordered = [...(children.get(ROOT.folderId) ?? [])];
  for (let at = 0; at < ordered.length; at += 1)
    ordered.push(...(children.get(ordered[at]?.folderId ?? '') ?? []));
  return ordered;
}

const COLUMNS = ['documentId', 'documentName', 'folderId', 'disabled', 'accessType'] as const;
const selectDocuments = prepareSelect('documents', COLUMNS, ['key']);
/** Selects documents without an order. To sort, SQLite would read all documents instead of looking up IDs. */
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

const selectExported = prepareSelect('activities', ['activityId', 'documentId', 'data'], ['key']);
const upsertActivities = prepareUpsert('activities', ['organization', 'activityId'], {
  replaced: ['documentId', 'data', 'lastUpdated'],
});
/** Document ID in the store for an activity without a document. */
const NO_DOCUMENT = '';

export const activities: Section<'activities'> = {
  read: (scope) =>
    readByOrganization(
      scope,
      selectExported,
      (organizationId, { activityId, documentId, data }) => ({
        organizationId,
        ...(documentId !== NO_DOCUMENT && { documentId }),
        id: activityId,
        ...parseOtherFields(data),
      }),
    ),

  write: async (scope, records) => {
    const { database, now } = scope;
    for (const [organization, batch] of batchByOrganization(scope, records)) {
      const found = await selectActivities(database, {
        organization,
        activityId: batch.map(({ id }) => id),
      });
      const existing = new Map(found.map((row) => [row.activityId, row]));
      const rows = batch.map(({ organizationId: _, documentId, id, ...fields }) => ({
        organization,
        activityId: id,
        documentId: documentId ?? existing.get(id)?.documentId ?? NO_DOCUMENT,
        data: JSON.stringify({ ...JSON.parse(existing.get(id)?.data ?? '{}'), ...fields }),
        createdAt: now,
        lastUpdated: now,
      }));
      await upsertActivities(database, rows);
    }
  },
};

/** Loads the code that reads and writes contents, only for states that contain any. */
const loadContent = () => import('../records/crdt-content.ts');
const loadEditors = () => import('../records/editors.ts');

/** Contents of editors, without their edit history. */
export const crdt: Section<'crdt'> = {
  read: async (scope) => {
    const contents = await readByOrganization(scope, selectEditors, readContents);
    return (await Promise.all(contents)).flat();
  },

  write: async (scope, records) => {
    if (records.length === 0) return;
    const { writeEditor } = await loadEditors();
    for (const [organization, batch] of batchByOrganization(scope, records)) {
      for (const { lastUpdate, ...record } of batch) {
        const { documentId, editorId } = record;
        const [existing] = await selectEditors(scope.database, {
          organization,
          documentId,
          editorId,
        });
        const updatedAt = lastUpdate === undefined ? scope.now : Date.parse(lastUpdate);
        await writeEditor(scope.database, organization, record, existing, updatedAt);
      }
    }
  },
};

/** Returns the contents of an editor. The most recent content comes last. */
async function readContents(organizationId: string, editor: Editor): Promise<State['crdt']> {
  const { decodeDocument, readContent } = await loadContent();
  const { documentId, editorId, contentKey: latestKey, state } = editor;
  const document = decodeDocument(state);
  const lastUpdate = new Date(editor.lastUpdate).toISOString();
  const types = parseTypes(editor);
  const keys = [...[...types.keys()].filter((key) => key !== latestKey), latestKey];
  return keys.map((contentKey) => {
    const type = types.get(contentKey) ?? 'text';
    const data = readContent(document, contentKey, type);
    return { organizationId, documentId, editorId, type, data, contentKey, lastUpdate };
  });
}
