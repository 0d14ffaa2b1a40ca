import type { State } from '../../catalog/state.ts';
import { contentOf, openDocument } from '../records/crdt-content.ts';
import { type Editor, selectEditors, writeEditor } from '../records/editors.ts';
import { prepared } from '../store/prepared.ts';
import { batchesByOrganization, readEach, type Section } from './section.ts';

type Content = State['crdt'][number];

const select = prepared((database, { organization }: { readonly organization: number }) =>
  database
    .selectFrom('editors')
    .selectAll()
    .where('organization', '=', organization)
    .orderBy('documentId')
    .orderBy('editorId'),
);

/** The contents of editors, not how they came about: a copy is a document with no history. */
export const crdt: Section<'crdt'> = {
  read: async (scope) => (await readEach(scope, select, contents)).flat(),

  write: async (scope, records) => {
    for (const [organization, batch] of batchesByOrganization(scope, records)) {
      for (const { lastUpdate, ...record } of batch) {
        const { documentId, editorId } = record;
        const [known] = await selectEditors(scope.database, { organization, documentId, editorId });
        const at = lastUpdate === undefined ? scope.now : Date.parse(lastUpdate);
        await writeEditor(scope.database, organization, record, known, at);
      }
    }
  },
};

/** Each content of an editor, the one that was written last behind the others. */
function contents(organizationId: string, editor: Editor): Content[] {
  const { documentId, editorId, contentKey: last, state } = editor;
  const document = openDocument(state);
  const lastUpdate = new Date(editor.lastUpdate).toISOString();
  const types = new Map(Object.entries<Content['type']>(JSON.parse(editor.types)));
  const keys = [...[...types.keys()].filter((key) => key !== last), last];
  return keys.map((contentKey) => {
    const type = types.get(contentKey) ?? 'text';
    const data = contentOf(document, contentKey, type);
    return { organizationId, documentId, editorId, type, data, contentKey, lastUpdate };
  });
}
