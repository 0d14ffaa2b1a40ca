import type { Client } from '../../client/client.ts';
import { diffRecords } from '../differ.ts';
import { KIND_CLASSES } from '../kinds.ts';
import { queryKeys } from '../live/declared-query.ts';
import { readLive } from '../live/read-live.ts';
import { findLiveRecord, type LiveRecord, type LiveRecords } from '../live-records.ts';
import { type SecretsByReference, withSecretValues } from '../plan/item-secrets.ts';
import type { PlannedItem, PlannedWrite, RecordKey } from '../plan.ts';
import { parseRecordKey } from '../settings.ts';
import type { ItemFailure } from './item-states.ts';

/** Fields of inputs that records do not have, or that the service never returns. */
const NOT_COMPARED = ['documentId', 'endpointId', 'folderId', 'metadata'];

/**
 * Reads the records that were written, and compares them with the writes. Skips records that the
 * service does not return.
 * @param isWritten whether the item with an index was written
 * @returns the differences by the index of the item, and the endpoints that were created
 */
export async function readBack(
  client: Client,
  writes: readonly PlannedWrite[],
  secrets: SecretsByReference,
  isWritten: (index: number) => boolean,
) {
  const expected = collectExpected(writes, secrets, isWritten);
  const live = await readLive(client, queryKeys([...expected.keys()]));
  const differences = new Map<number, ItemFailure>();
  for (const [key, { index, fields }] of expected) {
    const { kind, id, org } = parseRecordKey(key);
    const reading = {
      folders: live.folders.get(org),
      documents: live.documents.get(org),
      endpoints: live.endpoints,
    };
    if (reading[kind as keyof typeof reading]?.problem) continue;
    const message = describeDifference(findLiveRecord(live, key), fields);
    if (message !== undefined) differences.set(index, { id, message, code: 'differs' });
  }
  const created = writes.flatMap(({ operation, items }) =>
    operation === 'webhooks.endpoints.create' ? items : [],
  );
  const keys = new Set(created.map(({ key }) => key).filter((key) => expected.has(key)));
  return { differences, createdEndpoints: findEndpoints(live, keys) };
}

/** A webhook endpoint that a plan created. */
export interface CreatedEndpoint {
  readonly id: string;
  readonly uid: string;
}

function findEndpoints(live: LiveRecords, keys: Iterable<RecordKey>): readonly CreatedEndpoint[] {
  return Array.from(keys).flatMap((key) => {
    const record = findLiveRecord(live, key);
    return record ? [{ id: String(record['id']), uid: String(record['uid']) }] : [];
  });
}

function collectExpected(
  writes: readonly PlannedWrite[],
  secrets: SecretsByReference,
  isWritten: (index: number) => boolean,
) {
  const expected = new Map<
    RecordKey,
    { readonly index: number; readonly fields: LiveRecord | undefined }
  >();
  const all = writes.flatMap(({ operation, items }) => items.map((item) => ({ item, operation })));
  for (const [index, { item, operation }] of all.entries()) {
    const { kind } = parseRecordKey(item.key);
    if (!isWritten(index) || KIND_CLASSES[kind] === 'sent') continue;
    const isDeletion = operation === 'webhooks.endpoints.delete';
    const fields = isDeletion
      ? undefined
      : { ...expected.get(item.key)?.fields, ...comparedFields(item, secrets) };
    expected.set(item.key, { index, fields });
  }
  return expected;
}

/** Returns the fields of an item that its record has, with their planned values. */
export function comparedFields(item: PlannedItem, secrets: SecretsByReference): LiveRecord {
  const fields = Object.entries(withSecretValues(item, secrets));
  return Object.fromEntries(fields.filter(([name]) => !NOT_COMPARED.includes(name)));
}

function describeDifference(
  live: LiveRecord | undefined,
  fields: LiveRecord | undefined,
): string | undefined {
  if (!fields) return live && 'written, but the service still has it';
  if (!live) return 'written, but the service does not have it';
  const [difference] = diffRecords(live, fields).filter(({ isMasked }) => !isMasked);
  if (!difference) return undefined;
  const { field, before, after } = difference;
  if (before === 'differ') return `written, but the service has another ${field}`;
  return `written, but the service has ${field} ${JSON.stringify(before)} instead of ${JSON.stringify(after)}`;
}
