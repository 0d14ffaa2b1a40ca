import type { Selectable } from 'kysely';
import { prepareSelect, prepareUpsert } from '../store/statements.ts';
import type { Tables } from '../store/tables.ts';
import type { EditorContent } from './crdt-content.ts';

export type Editor = Selectable<Tables['editors']>;

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

export const upsertEditor = prepareUpsert('editors', ['organization', 'documentId', 'editorId'], {
  replaced: CONTENT_COLUMNS,
});

export function parseTypes(editor: Editor | undefined): Map<string, EditorContent['type']> {
  return new Map(Object.entries(JSON.parse(editor?.types ?? '{}')));
}
