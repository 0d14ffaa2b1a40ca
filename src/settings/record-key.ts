import type { Kind } from './settings.ts';

/** Identifies a record across reads, plans, and jobs. */
export type RecordKey = string;

const escapePart = (part: string) => (/[%/]/.test(part) ? part.replace(/[%/]/g, encodeURIComponent) : part);
const unescapePart = (part: string) => part.replace(/%25|%2F/g, decodeURIComponent);

/** Creates the key of a record: `folders/acme/plans`. More parts identify a part of a record, such as a group's user. */
export function createRecordKey(kind: Kind, org: string | null, ...ids: readonly string[]): RecordKey {
  return [kind, org ?? '', ...ids].map(escapePart).join('/');
}

/** Splits the key of a record, for records whose organization and ID are never empty. */
export function parseRecordKey(key: RecordKey): { readonly kind: Kind; readonly org: string; readonly id: string } {
  const [kind = '', org = '', id = ''] = key.split('/').map(unescapePart);
  return { kind: kind as Kind, org, id };
}
