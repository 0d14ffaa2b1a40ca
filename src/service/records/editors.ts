import type * as z from 'zod/mini';
import type { Operations } from '../../catalog/index.ts';
import { fieldRefusal } from '../calls/validate.ts';
import type { Database } from '../store/store.ts';
import {
  decodeDocument,
  type EditorContent,
  encodeDocument,
  readContent,
  replaceContent,
} from './crdt-content.ts';
import { parseXml } from './crdt-xml.ts';
import { DEFAULT_CONTENT_KEY, type Editor, parseTypes, upsertEditor } from './editor-rows.ts';

type CrdtInput = z.output<Operations['crdt.add']['input']>;

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

export function readLatestContent(editor: Editor): Pick<CrdtInput, 'type' | 'data' | 'contentKey'> {
  const { contentKey, state } = editor;
  const type = parseTypes(editor).get(contentKey) ?? 'text';
  return { type, data: readContent(decodeDocument(state), contentKey, type), contentKey };
}
