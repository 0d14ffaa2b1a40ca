import type { Selectable } from 'kysely';
import type * as z from 'zod';
import type { Operations } from '../../catalog/index.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import { fieldRefusal } from '../validate.ts';
import { decodeDocument, type EditorContent, encodeDocument, readContent, replaceContent } from './crdt-content.ts';
import { parseXml } from './crdt-xml.ts';

export type Editor = Selectable<Tables['editors']>;

type CrdtInput = z.output<Operations['crdt.add']['input']>;

/** Default content key of a request. */
export const DEFAULT_CONTENT_KEY = 'content';

interface EditorFilter {
  readonly organization: number;
  readonly documentId: string;
  readonly editorId?: string;
}

/** Selects the editors of a document, or a single editor. */
export const selectEditors = prepareQuery((database, { organization, documentId, editorId }: EditorFilter) => {
  const all = database
    .selectFrom('editors')
    .selectAll()
    .where('organization', '=', organization)
    .where('documentId', '=', documentId)
    .orderBy('editorId');
  return editorId === undefined ? all : all.where('editorId', '=', editorId);
});

/**
 * Writes content to an editor. Creates the editor if it does not exist.
 * @returns the editor after the write
 * @throws Refusal INVALID_ARGUMENT for malformed XML, or if the type differs from that of the existing content
 */
export async function writeEditor(
  database: Database,
  organization: number,
  input: CrdtInput,
  existing: Editor | undefined,
  now: number,
): Promise<Editor> {
  const { documentId, editorId, contentKey = DEFAULT_CONTENT_KEY } = input;
  const types = parseTypes(existing);
  const type = types.get(contentKey) ?? input.type;
  if (type !== input.type)
    throw fieldRefusal(['type'], `must be "${type}", the type of the existing content, got "${input.type}"`);
  const document = decodeDocument(existing?.state);
  replaceContent(document, contentKey, parseContent(input));
  const columns = {
    state: encodeDocument(document),
    types: JSON.stringify(Object.fromEntries(types.set(contentKey, type))),
    contentKey,
    lastUpdate: now,
    lastUpdatedBy: null,
    sessionId: null,
  };
  const editor = { organization, documentId, editorId, ...columns };
  await database
    .insertInto('editors')
    .values(editor)
    .onConflict((conflict) => conflict.columns(['organization', 'documentId', 'editorId']).doUpdateSet(columns))
    .execute();
  return editor;
}

/** Parses the content of a request. The schema has checked that the data matches the type. */
function parseContent({ type, data }: CrdtInput): EditorContent {
  if (type !== 'xml') return { type, data } as EditorContent;
  const nodes = parseXml(data as string);
  if (!nodes) throw fieldRefusal(['data'], 'must be well-formed XML');
  return { type, data: nodes };
}

export function parseTypes(editor: Editor | undefined): Map<string, EditorContent['type']> {
  return new Map(Object.entries(JSON.parse(editor?.types ?? '{}')));
}

/** Returns the most recent content of an editor. */
export function readLatestContent(editor: Editor): Pick<CrdtInput, 'type' | 'data' | 'contentKey'> {
  const { contentKey, state } = editor;
  const type = parseTypes(editor).get(contentKey) ?? 'text';
  return { type, data: readContent(decodeDocument(state), contentKey, type), contentKey };
}
