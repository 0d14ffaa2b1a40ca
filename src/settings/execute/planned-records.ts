import type { PendingRecords } from '../../bulk/batches.ts';
import type { BulkRecord } from '../../bulk/bulk-record.ts';
import type { PlannedItem } from '../plan.ts';

/** A record that a plan sends. Its index is its position among all records of the plan. */
export class PlannedRecord implements BulkRecord {
  readonly id: string;
  readonly index: number;
  readonly line: number | null;
  readonly value: unknown;

  constructor({ id, index, line, value }: Pick<BulkRecord, 'id' | 'index' | 'line' | 'value'>) {
    this.id = id;
    this.index = index;
    this.line = line;
    this.value = value;
  }

  get json(): string {
    return JSON.stringify(this.value);
  }

  get text(): string {
    return this.json;
  }

  get jsonLine(): string {
    return this.json;
  }
}

/**
 * Splits items so that no item requires another one of its part. A part can be sent in any number of requests, because an
 * item's failure stops only later parts.
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
 * Groups records, in order, so that no batch skips an index, and no batch contains both new records and records that were
 * sent before.
 * @param open indexes of the records that were sent before
 */
export function groupForSending(
  records: readonly BulkRecord[],
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
