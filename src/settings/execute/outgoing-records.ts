import type { BulkRecord, PendingRecords, RecordList } from '../../bulk/batches.ts';
import { BATCH_SIZE } from '../../bulk/pace.ts';
import type { BulkFields } from '../../catalog/bulk-fields.ts';
import { type SentRecord, toSentRecord } from '../ledger.ts';
import type { PlannedFile, PlannedItem, PlannedWrite } from '../plan.ts';
import { parseRecordKey, type RecordKey } from '../settings.ts';
import { type FileUser, readUsersFile, toSentUser } from '../users-file.ts';

/**
 * An item of a plan, or a user of a file, to send. Users have the indexes after those of all items.
 */
export interface OutgoingRecord extends BulkRecord {
  readonly key: RecordKey;
  readonly shared: PlannedWrite['shared'];
  readonly sent: SentRecord;
}

function createRecord(parts: Omit<OutgoingRecord, 'json' | 'text' | 'jsonLine'>): OutgoingRecord {
  const json = JSON.stringify(parts.value);
  return { ...parts, json, text: json, jsonLine: json };
}

/** @param data the item's data with its secrets */
export function createItemRecord(
  write: PlannedWrite,
  item: PlannedItem,
  {
    index,
    data,
    fields,
  }: { index: number; data: PlannedItem['data']; fields: BulkFields | undefined },
): OutgoingRecord {
  const { key } = item;
  const id = fields ? String(data[fields.id]) : parseRecordKey(key).id;
  const value = fields?.bareIds ? id : data;
  return createRecord({
    id,
    index,
    line: null,
    value,
    key,
    shared: write.shared,
    sent: toSentRecord(write, item),
  });
}

function createUserRecord(user: FileUser, index: number): OutgoingRecord {
  const { userId: id, line, data: value, organizationId } = user;
  const sent = toSentUser(user);
  return createRecord({
    id,
    index,
    line,
    value,
    key: sent.identity.join(),
    shared: { organizationId, createOrganization: true },
    sent,
  });
}

/**
 * Splits items so that no item requires another one of its part. A part can be sent in any number
 * of requests, because an item's failure stops only later parts.
 */
export function* splitByRequirements<Item extends Pick<PlannedItem, 'key' | 'requires'>>(
  items: Iterable<Item>,
): Generator<readonly Item[]> {
  let part: Item[] = [];
  let keys = new Set<string>();
  for (const item of items) {
    if (keys.has(item.key) || item.requires.some((key) => keys.has(key))) {
      yield part;
      [part, keys] = [[], new Set()];
    }
    part.push(item);
    keys.add(item.key);
  }
  if (part.length > 0) yield part;
}

/**
 * Groups records, in order, so that no batch skips an index, and no batch contains both new records
 * and records that were sent before.
 * @param open indexes of the records that were sent before
 */
export function groupForSending(
  records: RecordList,
  open: ReadonlySet<number>,
  batchSize: number,
): readonly PendingRecords[] {
  const groups: BulkRecord[][] = [];
  for (const record of records) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const isOpen = open.has(record.index);
    const continues = last?.index === record.index - 1 && open.has(last.index) === isOpen;
    if (!group || !continues || (isOpen && group.length === batchSize)) groups.push([record]);
    else group.push(record);
  }
  return groups.flatMap((group): readonly PendingRecords[] =>
    open.has(group[0]?.index ?? -1) ? [{ resend: group }] : [group, []],
  );
}

interface UserSelection {
  readonly first: number;
  readonly isWanted: (record: SentRecord) => boolean;
  readonly signal: AbortSignal;
}

const MAX_WAITING = 10_000;

export async function* readPendingUsers(
  file: PlannedFile,
  { first, isWanted, signal }: UserSelection,
): AsyncGenerator<RecordList> {
  let index = first;
  let waiting = 0;
  const byOrganization = new Map<string, FileUser[]>();
  function* take(organizations: Iterable<string>): Generator<RecordList> {
    for (const organizationId of organizations) {
      const users = byOrganization.get(organizationId) ?? [];
      byOrganization.delete(organizationId);
      waiting -= users.length;
      yield users.map((user) => createUserRecord(user, index++));
      yield [];
    }
  }
  for await (const users of readUsersFile(file, signal)) {
    for (const user of users) {
      const { organizationId } = user;
      if (!isWanted(toSentUser(user))) continue;
      const group = byOrganization.get(organizationId) ?? [];
      group.push(user);
      byOrganization.set(organizationId, group);
      waiting += 1;
      if (group.length === BATCH_SIZE) yield* take([organizationId]);
      else if (waiting >= MAX_WAITING) yield* take([...byOrganization.keys()]);
    }
  }
  yield* take([...byOrganization.keys()]);
}
