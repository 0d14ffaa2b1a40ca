import type { RecordKind } from './settings.ts';

/** Identifies a record across reads, plans, and jobs. */
export type RecordKey = string;

const escapePart = (part: string) => (/[%/]/.test(part) ? part.replace(/[%/]/g, encodeURIComponent) : part);
const unescapePart = (part: string) => part.replace(/%25|%2F/g, decodeURIComponent);

export function createRecordKey(kind: RecordKind, org: string | null, ...ids: readonly string[]): RecordKey {
  return [kind, org ?? '', ...ids].map(escapePart).join('/');
}

/** Returns the ID of an editor of a document: `d1/e1`. */
export function createEditorId(documentId: string, editorId: string): string {
  return [documentId, editorId].map(escapePart).join('/');
}

export function parseEditorId(id: string) {
  const [documentId = '', editorId = ''] = id.split('/').map(unescapePart);
  return { documentId, editorId };
}

export function parseRecordKey(key: RecordKey): { readonly kind: RecordKind; readonly org: string; readonly id: string } {
  const [kind = '', org = '', id = ''] = key.split('/').map(unescapePart);
  return { kind: kind as RecordKind, org, id };
}
