import type { State } from '../../catalog/state.ts';
import { decodeDocument, readContent } from '../records/crdt-content.ts';
import { type Editor, parseTypes, selectEditors, writeEditor } from '../records/editors.ts';
import { batchByOrganization, readByOrganization, type Section } from './section.ts';

/** Contents of editors, without their edit history. */
export const crdt: Section<'crdt'> = {
  read: async (scope) => (await readByOrganization(scope, selectEditors, readContents)).flat(),

  write: async (scope, records) => {
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
function readContents(organizationId: string, editor: Editor): State['crdt'] {
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
