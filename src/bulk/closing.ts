import type { Block } from './batches.ts';
import type { Flight } from './journal/flights.ts';
import type { Item } from './journal/items.ts';
import type { Journal } from './journal/journal.ts';
import type { BulkRecord, ItemResult } from './record.ts';
import type { Rejects } from './rejects.ts';
import type { Results } from './results.ts';

/** An input read once more at the end of a run, for what belongs into files about it. */
export interface Closing {
  readonly blocks: AsyncIterable<{ readonly records: Block; readonly leftOut: Block }>;
  readonly journal: Journal;
  readonly rejects: Rejects | undefined;
  readonly results: Results | undefined;
  /** The job cannot go on, so that records that were not sent are rejects too. */
  readonly final: boolean;
}

/**
 * Writes the rejects of the whole job, and to the results a line for each record that was not sent. Both follow from the
 * input and the journal, whatever happened to earlier runs.
 */
export async function writeClosing({ blocks, journal, rejects, results, final }: Closing): Promise<void> {
  const fates = new Fates(journal);
  for await (const { records, leftOut } of blocks) {
    const found = records.map((record) => fates.of(record)).filter((item) => item !== undefined);
    const unsent = found.filter(({ status }) => status === 'skipped');
    await rejects?.add(final ? found : found.filter(({ status }) => status !== 'skipped'));
    await results?.write([...leftOut.map(leftOutItem), ...unsent, ...found.filter(({ open }) => open)]);
  }
}

/** What became of each record of an input, from the first to the last. Undefined is success. */
class Fates {
  readonly #flights: Iterator<Flight>;
  readonly #items: Iterator<Item>;
  #flight: IteratorResult<Flight>;
  #item: IteratorResult<Item>;

  constructor(journal: Journal) {
    this.#flights = journal.flights();
    this.#items = journal.items();
    this.#flight = this.#flights.next();
    this.#item = this.#items.next();
  }

  of(record: BulkRecord): ItemResult | undefined {
    const { index } = record;
    while (!this.#flight.done && this.#flight.value.last < index) this.#flight = this.#flights.next();
    while (!this.#item.done && this.#item.value.at < index) this.#item = this.#items.next();
    if (this.#flight.done || this.#flight.value.first > index) return { record, ...NOT_SENT };
    if (this.#item.done || this.#item.value.at !== index) {
      return this.#flight.value.settled ? undefined : { record, ...OPEN };
    }
    const { status, message, code } = this.#item.value;
    return status === 'open' ? { record, ...OPEN, message, code } : { record, status, message, code };
  }
}

const NOT_SENT = { status: 'skipped', message: 'not sent', code: 'not_sent' } as const;
const OPEN = { status: 'unknown', message: 'sent, without an answer', code: 'outcome_unknown', open: true } as const;

function leftOutItem(record: BulkRecord): ItemResult {
  return { record, status: 'skipped', message: 'another record with this id is sent', code: 'duplicate' };
}
