import type { Selectable } from 'kysely';
import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { refusedField } from '../validate.ts';
import { type Content, contentOf, openDocument, replaceContent, stateOf } from './crdt-content.ts';
import { parseXml } from './crdt-xml.ts';

export type Editor = Selectable<Tables['editors']>;

type Given = z.output<Operations['crdt.add']['input']>;

/** Content is kept under this key unless the caller names another. */
export const CONTENT_KEY = 'content';

interface Place {
  readonly organization: number;
  readonly documentId: string;
  readonly editorId?: string;
}

/** The editors of a document, or the one of this id. */
export const selectEditors = prepared((database, { organization, documentId, editorId }: Place) => {
  const all = database
    .selectFrom('editors')
    .selectAll()
    .where('organization', '=', organization)
    .where('documentId', '=', documentId)
    .orderBy('editorId');
  return editorId === undefined ? all : all.where('editorId', '=', editorId);
});

/**
 * Writes content into a new editor, or the one that is known.
 * @returns the editor as it is now
 * @throws Refusal INVALID_ARGUMENT for XML that is none, or content of another type than the editor has there.
 */
export async function writeEditor(
  database: Database,
  organization: number,
  given: Given,
  known: Editor | undefined,
  now: number,
): Promise<Editor> {
  const { documentId, editorId, contentKey = CONTENT_KEY } = given;
  const types = typesOf(known);
  const type = types.get(contentKey) ?? given.type;
  if (type !== given.type) throw refusedField(['type'], `the content is of type ${type} already`);
  const document = openDocument(known?.state);
  replaceContent(document, contentKey, wanted(given));
  const written = {
    state: stateOf(document),
    types: JSON.stringify(Object.fromEntries(types.set(contentKey, type))),
    contentKey,
    lastUpdate: now,
    lastUpdatedBy: null,
    sessionId: null,
  };
  const editor = { organization, documentId, editorId, ...written };
  await database
    .insertInto('editors')
    .values(editor)
    .onConflict((conflict) => conflict.columns(['organization', 'documentId', 'editorId']).doUpdateSet(written))
    .execute();
  return editor;
}

/** The content as it was given; its type has been checked against its data. */
function wanted({ type, data }: Given): Content {
  if (type !== 'xml') return { type, data } as Content;
  const nodes = parseXml(data as string);
  if (!nodes) throw refusedField(['data'], 'not well-formed XML');
  return { type, data: nodes };
}

function typesOf(editor: Editor | undefined): Map<string, Content['type']> {
  return new Map(Object.entries(JSON.parse(editor?.types ?? '{}')));
}

/** An editor's content, under the key that was written last. */
export function readEditor(editor: Editor): Pick<Given, 'type' | 'data' | 'contentKey'> {
  const { contentKey, state } = editor;
  const type = typesOf(editor).get(contentKey) ?? 'text';
  return { type, data: contentOf(openDocument(state), contentKey, type), contentKey };
}
