import type { Block } from './batches.ts';
import type { Range } from './journal/flights.ts';
import type { ItemResult } from './record.ts';

/** The range of a batch that is not empty. */
export function rangeOf(batch: Block): Range {
  return { first: batch[0]?.index ?? 0, last: batch.at(-1)?.index ?? 0, count: batch.length };
}

/** The parts of a batch by what is known of them; consecutive records of one kind are one part. */
export function partsOf(batch: Block, items: readonly ItemResult[]): { known: Range[]; open: Range[] } {
  const unsettled = new Map(
    items.filter(isUnsettled).map(({ record, open }) => [record.index, open ? ('open' as const) : undefined]),
  );
  if (unsettled.size === 0) return { known: [rangeOf(batch)], open: [] };
  const parts = { known: [] as Range[], open: [] as Range[] };
  let run: (typeof batch)[number][] = [];
  let kind: 'known' | 'open' | undefined;
  for (const record of batch) {
    const own = unsettled.has(record.index) ? unsettled.get(record.index) : 'known';
    if (own !== kind && kind && run.length > 0) parts[kind].push(rangeOf(run));
    if (own !== kind) run = [];
    kind = own;
    run.push(record);
  }
  if (kind && run.length > 0) parts[kind].push(rangeOf(run));
  return parts;
}

/** Skipped ones were never sent, as far as the service's data goes; open ones may be sent again. */
function isUnsettled({ status, open }: ItemResult): boolean {
  return status === 'skipped' || open === true;
}
