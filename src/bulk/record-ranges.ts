import type { RecordList } from './batches.ts';
import type { RecordResult } from './bulk-record.ts';
import type { RecordRange } from './journal/outcomes.ts';

export function rangeOf(batch: RecordList): RecordRange {
  return { first: batch[0]?.index ?? 0, last: batch.at(-1)?.index ?? 0, count: batch.length };
}

/** Splits a batch into ranges of consecutive records whose outcome is known, and ranges to resend. Omits unsent records. */
export function splitByOutcome(
  batch: RecordList,
  items: readonly RecordResult[],
): { known: RecordRange[]; open: RecordRange[] } {
  const unsettled = new Map(
    items
      .filter(({ status, open }) => status === 'skipped' || open)
      .map(({ record, open }) => [record.index, open ? ('open' as const) : undefined]),
  );
  if (unsettled.size === 0) return { known: [rangeOf(batch)], open: [] };
  const parts = { known: [] as RecordRange[], open: [] as RecordRange[] };
  let run: (typeof batch)[number][] = [];
  let kind: 'known' | 'open' | undefined;
  for (const record of batch) {
    const recordKind = unsettled.has(record.index) ? unsettled.get(record.index) : 'known';
    if (recordKind !== kind && kind && run.length > 0) parts[kind].push(rangeOf(run));
    if (recordKind !== kind) run = [];
    kind = recordKind;
    run.push(record);
  }
  if (kind && run.length > 0) parts[kind].push(rangeOf(run));
  return parts;
}
