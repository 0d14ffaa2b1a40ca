import type { SvcError } from '../kernel/errors.ts';

/** Records refused one by one with the same words, and none that landed in between, after which nothing is expected of the rest. */
const MOST_ALIKE = 100;

/** So few may all be wrong in the same way, though nothing has landed yet. */
const FEWEST_ALIKE = 10;

/**
 * Tells records that are wrong from a request that is wrong. Cutting up each request that is refused finds the records that
 * are to blame; where every record alone is refused with the same words, they are not to blame, and going on would turn
 * each request into two hundred.
 */
export class AlikeRefusals {
  #landed: boolean;
  #words = '';
  #count = 0;

  /** @param landed a record of the job has landed before */
  constructor(landed: boolean) {
    this.#landed = landed;
  }

  success(): void {
    this.#landed = true;
    this.#count = 0;
  }

  /** A record was refused that was alone in its request. */
  refused({ message }: SvcError): void {
    this.#count = message === this.#words ? this.#count + 1 : 1;
    this.#words = message;
  }

  /** @param records in the batch that is cut up: all of it is enough where nothing has landed yet */
  isHopeless(records: number): boolean {
    return this.#count >= (this.#landed ? MOST_ALIKE : Math.min(MOST_ALIKE, Math.max(FEWEST_ALIKE, records)));
  }
}
