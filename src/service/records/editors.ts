import type { Selectable } from 'kysely';
import type * as z from 'zod/mini';
import type { Operations } from '../../catalog/index.ts';
import { fieldRefusal } from '../calls/validate.ts';
import { prepareSelect, prepareUpsert } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';
import {
  decodeDocument,
  type EditorContent,
  encodeDocument,
  readContent,
  replaceContent,
} from './crdt-content.ts';
import { parseXml } from './crdt-xml.ts';

export type Editor = Selectable<Tables['editors']>;
type CrdtInput = z.output<Operations['crdt.add']['input']>;
export const DEFAULT_CONTENT_KEY = 'content';
const CONTENT_COLUMNS = [
  'state',
  'types',
  'contentKey',
  'lastUpdate',
  'lastUpdatedBy',
  'sessionId',
] as const;

export const selectEditors = prepareSelect(
  'editors',
  ['organization', 'documentId', 'editorId', ...CONTENT_COLUMNS],
  ['documentId', 'editorId'],
);

const upsertEditor = prepareUpsert('editors', ['organization', 'documentId', 'editorId'], {
  replaced: CONTENT_COLUMNS,
});

/**
 * @throws Refusal INVALID_ARGUMENT for malformed XML, or if the type differs from that of the
 * existing content
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
    throw fieldRefusal(
      ['type'],
      `must be "${type}", the type of the existing content, got "${input.type}"`,
    );
  const document = decodeDocument(existing?.state);
  replaceContent(document, contentKey, parseContent(input));
  const editor = {
    organization,
    documentId,
    editorId,
    state: encodeDocument(document),
    types: JSON.stringify(Object.fromEntries(types.set(contentKey, type))),
    contentKey,
    lastUpdate: now,
    lastUpdatedBy: null,
    sessionId: null,
  };
  await upsertEditor(database, [editor]);
  return editor;
}

function parseContent({ type, data }: CrdtInput): EditorContent {
  if (type !== 'xml') return { type, data } as EditorContent;
  const nodes = parseXml(data as string);
  if (!nodes) throw fieldRefusal(['data'], 'must be well-formed XML');
  return { type, data: nodes };
}

export function parseTypes(editor: Editor | undefined): Map<string, EditorContent['type']> {
  return new Map(Object.entries(JSON.parse(editor?.types ?? '{}')));
}

export function readLatestContent(editor: Editor): Pick<CrdtInput, 'type' | 'data' | 'contentKey'> {
  const { contentKey, state } = editor;
  const type = parseTypes(editor).get(contentKey) ?? 'text';
  return { type, data: readContent(decodeDocument(state), contentKey, type), contentKey };
}
