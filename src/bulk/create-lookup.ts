import type { Operation } from '../catalog/define.ts';
import { loadOperation } from '../catalog/index.ts';
import { getEntry } from '../catalog/manifest.ts';
import { SvcError } from '../kernel/errors.ts';
import { type Fields, isObject } from '../kernel/json.ts';
import type { RecordList } from './batches.ts';
import type { LookUpRecords } from './existing-records.ts';
import type { BatchCalls } from './request-sender.ts';

interface LookupOptions {
  /** How often to call an operation that lists all records (default: for each lookup). */
  readonly listing?: 'each time' | 'once';
  readonly onFound?: (sent: Fields, existing: Fields) => void;
}

/** Maximum number of targets whose records are kept, in case of several. */
const MAX_LISTS = 50;

/**
 * Creates a function that looks up records; `undefined` if the service has no operation that reads
 * them.
 */
export function createLookup(
  { client, fields, data }: BatchCalls,
  { listing = 'each time', onFound }: LookupOptions = {},
): LookUpRecords | undefined {
  const { lookup } = fields;
  if (!lookup) return undefined;
  const { idField, sharedFields } = lookup;

  async function readRecords(
    read: Operation,
    part: RecordList,
  ): Promise<ReadonlyMap<unknown, Fields>> {
    const ids = read.splitIds && { [read.splitIds.field]: part.map(({ id }) => id) };
    const call = { ...data, ...part[0]?.target?.data };
    const shared = Object.fromEntries(sharedFields.map((field) => [field, call[field]]));
    const response = await client.send(read, { ...shared, ...ids });
    const list =
      response.sent && Array.isArray(response.data) ? response.data.filter(isObject) : [];
    return new Map(list.map((record) => [record[idField], record]));
  }

  const lists = new Map<string | undefined, ReturnType<typeof readRecords>>();
  function readOnce(read: Operation, part: RecordList): ReturnType<typeof readRecords> {
    if (listing === 'each time' || read.splitIds) return readRecords(read, part);
    const key = part[0]?.target?.key;
    const list = lists.get(key) ?? readRecords(read, part);
    if (lists.size >= MAX_LISTS) lists.clear();
    lists.set(key, list);
    return list;
  }

  return async (records) => {
    const found = new Map<string, boolean>();
    const { resource, name } = getEntry(lookup.operation);
    const read = await loadOperation(resource, name);
    const batchSize = read.splitIds?.max ?? records.length;
    for (let at = 0; at < records.length; at += batchSize) {
      const part = records.slice(at, at + batchSize);
      // A failed lookup leaves the outcome unknown.
      const existing = await readOnce(read, part).catch((error: unknown) => {
        if (!(error instanceof SvcError)) throw error;
      });
      if (!existing) break;
      for (const { id, value } of part) {
        const record = existing.get(id);
        if (!record || !isObject(value)) continue;
        const { matchingFields } = lookup;
        found.set(
          id,
          matchingFields.every(
            (field) => value[field] === undefined || value[field] === record[field],
          ),
        );
        onFound?.(value, record);
      }
    }
    return found;
  };
}
