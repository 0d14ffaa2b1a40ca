import type { RecordList, RecordResult } from './batches.ts';
import type { RecordRange } from './journal/outcomes.ts';

export function rangeOf(batch: RecordList): RecordRange {
  return { first: batch[0]?.index ?? 0, last: batch.at(-1)?.index ?? 0, count: batch.length };
}

/**
 * Splits a batch into ranges of consecutive records whose outcome is known, and ranges to resend.
 * Omits unsent records.
 */
export function splitByOutcome(batch: RecordList, items: readonly RecordResult[]) {
  const unsettled = items.filter(({ status, open }) => status === 'skipped' || open);
  const parts: { known: RecordRange[]; open: RecordRange[] } = { known: [], open: [] };
  if (unsettled.length === 0) return { ...parts, known: [rangeOf(batch)] };
  const kinds = new Map(
    unsettled.map(({ record, open }) => [record, open ? 'open' : 'unsent'] as const),
  );
  let start = 0;
  for (const [at, record] of batch.entries()) {
    const kind = kinds.get(record) ?? 'known';
    const next = batch[at + 1];
    if (next && (kinds.get(next) ?? 'known') === kind) continue;
    if (kind !== 'unsent') parts[kind].push(rangeOf(batch.slice(start, at + 1)));
    start = at + 1;
  }
  return parts;
}
