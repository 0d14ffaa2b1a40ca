import type { Block, Portion } from './batches.ts';
import type { Flight } from './journal/flights.ts';
import type { BulkRecord } from './record.ts';

const CUT: Block = [];

/** What to do about flights without an outcome. */
export interface ResumeRules {
  /** Whether the records of a flight may be sent once more. */
  mayResend(flight: Flight): boolean;
  /** Takes the records of one that may not. */
  giveUp(batch: Block): Promise<void>;
}

/**
 * What a job has yet to send: the records that are in no settled flight. Those of a flight without an outcome come again
 * as the request they were, and an empty block stands where a settled one was, so that flights never overlap.
 * @param flights in order, as the journal holds them
 */
export async function* remaining(
  blocks: AsyncIterable<Block>,
  flights: Iterator<Flight>,
  rules: ResumeRules,
): AsyncGenerator<Portion> {
  const walk = new Walk(flights);
  for await (const block of blocks) {
    if (walk.isOver) {
      yield block;
      continue;
    }
    let unsent: BulkRecord[] = [];
    for (const record of block) {
      const left = walk.step(record, rules);
      if (left) {
        if (unsent.length > 0) yield unsent;
        unsent = [];
        if (left.lost) await rules.giveUp(left.records);
        yield left.lost || left.records.length === 0 ? CUT : { again: left.records };
      }
      if (walk.isToSend) unsent.push(record);
    }
    if (unsent.length > 0) yield unsent;
  }
  const { lost, records } = walk.leave();
  if (lost) await rules.giveUp(records);
  else if (records.length > 0) yield { again: records };
}

/** A flight, or what lies between two, that all records of are known. */
interface Left {
  /** Those of a flight without an outcome. */
  readonly records: Block;
  /** They may not be sent again. */
  readonly lost: boolean;
}

/** Goes along the flights with the records. */
class Walk {
  readonly #flights: Iterator<Flight>;
  #flight: IteratorResult<Flight>;
  #wasInside = false;
  /** The records of the flight that the walk is in, where they have no outcome. */
  #records: BulkRecord[] = [];
  #lost = false;
  /** The last record is in no flight. */
  isToSend = true;

  constructor(flights: Iterator<Flight>) {
    this.#flights = flights;
    this.#flight = flights.next();
  }

  /** No flight is left that any further record could be in, or behind. */
  get isOver(): boolean {
    return this.#flight.done === true && !this.#wasInside;
  }

  /** Takes the next record. Where a flight begins or ends before it, gives what is left behind. */
  step(record: BulkRecord, { mayResend }: ResumeRules): Left | undefined {
    const { index } = record;
    while (!this.#flight.done && this.#flight.value.last < index) this.#flight = this.#flights.next();
    const flight = this.#flight.done ? undefined : this.#flight.value;
    const inside = flight !== undefined && flight.first <= index;
    const left = flight?.first === index || (this.#wasInside && !inside) ? this.leave() : undefined;
    if (inside && !flight.settled) {
      this.#records.push(record);
      this.#lost = !mayResend(flight);
    }
    this.isToSend = !inside;
    this.#wasInside = inside;
    return left;
  }

  /** What the walk was in before. */
  leave(): Left {
    const left = { records: this.#records, lost: this.#lost && this.#records.length > 0 };
    this.#records = [];
    this.#lost = false;
    return left;
  }
}
