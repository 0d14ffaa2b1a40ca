import type { Block } from './batches.ts';
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
 * as the request they were, between empty blocks, so that flights never overlap.
 * @param flights in order, as the journal holds them
 */
export async function* remaining(
  blocks: AsyncIterable<Block>,
  flights: Iterator<Flight>,
  rules: ResumeRules,
): AsyncGenerator<Block> {
  const walk = new Walk(flights);
  for await (const block of blocks) {
    if (walk.isOver) {
      yield block;
      continue;
    }
    let unsent: BulkRecord[] = [];
    for (const record of block) {
      const { place, lost } = walk.step(record, rules);
      if (lost) await rules.giveUp(lost);
      if (place === 'first' || place === 'after') {
        if (unsent.length > 0) yield unsent;
        yield CUT;
        unsent = [];
      }
      if (walk.isToSend) unsent.push(record);
    }
    if (unsent.length > 0) yield unsent;
  }
  const lost = walk.takeLost();
  if (lost) await rules.giveUp(lost);
}

/** Goes along the flights with the records. */
class Walk {
  readonly #flights: Iterator<Flight>;
  #flight: IteratorResult<Flight>;
  #wasInside = false;
  #lost: BulkRecord[] = [];
  isToSend = true;

  constructor(flights: Iterator<Flight>) {
    this.#flights = flights;
    this.#flight = flights.next();
  }

  /** No flight is left that any further record could be in, or behind. */
  get isOver(): boolean {
    return this.#flight.done === true && !this.#wasInside;
  }

  /** Where a record is: the first of a flight, the first after one, or where the one before it was. */
  step(record: BulkRecord, { mayResend }: ResumeRules): { place: 'first' | 'after' | 'same'; lost: Block | undefined } {
    const { index } = record;
    while (!this.#flight.done && this.#flight.value.last < index) this.#flight = this.#flights.next();
    const flight = this.#flight.done ? undefined : this.#flight.value;
    const inside = flight !== undefined && flight.first <= index;
    const place = flight?.first === index ? 'first' : this.#wasInside && !inside ? 'after' : 'same';
    const lost = place === 'same' ? undefined : this.takeLost();
    const resent = inside && !flight.settled && mayResend(flight);
    if (inside && !flight.settled && !resent) this.#lost.push(record);
    this.isToSend = !inside || resent;
    this.#wasInside = inside;
    return { place, lost };
  }

  /** The records of the last flight that may not be sent again. */
  takeLost(): Block | undefined {
    const lost = this.#lost;
    this.#lost = [];
    return lost.length > 0 ? lost : undefined;
  }
}
