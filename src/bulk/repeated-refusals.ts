import type { SvcError } from '../kernel/errors.ts';

/**
 * Number of consecutive identical refusals of single records after which the request itself is
 * considered at fault.
 */
const MAX_REPEATS = 100;
/**
 * Minimum threshold before the first success, because fewer records could all have the same
 * mistake.
 */
const MIN_REPEATS = 10;

/**
 * Distinguishes invalid records from an invalid request. Splitting a refused batch isolates its
 * invalid records. If every record is refused individually with the same message, the request is at
 * fault, and continuing would split each batch into about 200 requests.
 */
export class RepeatedRefusals {
  #hasSuccess: boolean;
  #message = '';
  #count = 0;

  constructor(hasSuccess: boolean) {
    this.#hasSuccess = hasSuccess;
  }

  get hasSuccess(): boolean {
    return this.#hasSuccess;
  }

  recordSuccess(): void {
    this.#hasSuccess = true;
    this.#count = 0;
  }

  recordRefusal({ message }: SvcError): void {
    this.#count = message === this.#message ? this.#count + 1 : 1;
    this.#message = message;
  }

  /**
   * @param records size of the batch being split. Before the first success, refusals of all its
   * records are enough.
   */
  isRequestAtFault(records: number): boolean {
    return (
      this.#count >=
      (this.#hasSuccess ? MAX_REPEATS : Math.min(MAX_REPEATS, Math.max(MIN_REPEATS, records)))
    );
  }
}
