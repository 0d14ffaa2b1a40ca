import type { State } from '../../catalog/state.ts';
import { type Editor, parseTypes, selectEditors } from '../records/editor-rows.ts';
import { batchByOrganization, readByOrganization, type Section } from './section.ts';

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
