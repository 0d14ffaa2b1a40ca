import type { Block } from '../../bulk/batches.ts';
import type { LookAtThem } from '../../bulk/delivery.ts';
import type { BulkLookup, Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { entryNamed } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/is-object.ts';
import type { BatchCalls } from './send.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Looks with the service's own read, where there is one for such records. */
export function lookerOf({ client, fields, data }: BatchCalls): LookAtThem | undefined {
  const { lookup } = fields;
  if (!lookup) return undefined;
  const { id: idField } = lookup;
  const shared = Object.fromEntries(lookup.shared.map((field) => [field, data[field]]));

  async function shown(read: Operation, part: Block): Promise<ReadonlyMap<unknown, Fields>> {
    const ids = read.splitIds && { [read.splitIds.field]: part.map(({ id }) => id) };
    const answer = await client.send(read, { ...shared, ...ids });
    const list = answer.sent && Array.isArray(answer.data) ? answer.data.filter(isObject) : [];
    return new Map(list.map((record) => [record[idField], record]));
  }

  return async (records) => {
    const found = new Map<string, boolean>();
    const { resource, name } = entryNamed(lookup.operation);
    const read = await loadOperation(resource, name);
    const most = read.splitIds?.most ?? records.length;
    for (let at = 0; at < records.length; at += most) {
      const part = records.slice(at, at + most);
      const there = await shown(read, part).catch(nothingSeen);
      if (!there) break;
      for (const { id, value } of part) {
        const record = there.get(id);
        if (record) found.set(id, agree(value, record, lookup));
      }
    }
    return found;
  };
}

/** What cannot be seen stays unknown, whatever keeps it from being seen. */
function nothingSeen(error: unknown): undefined {
  if (!(error instanceof SvcError)) throw error;
}

function agree(sent: unknown, there: Fields, { same }: BulkLookup): boolean {
  return isObject(sent) && same.every((field) => sent[field] === undefined || sent[field] === there[field]);
}
