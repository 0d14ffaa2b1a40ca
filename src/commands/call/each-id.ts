import { type Failure, SvcError } from '../../kernel/errors.ts';
import { amount } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';

interface Attempted {
  /** What the IDs name: `endpoint`. */
  readonly noun: string;
  /** In the order in which they are tried. */
  readonly ids: readonly string[];
  /** Failures that say nothing about the other IDs. */
  readonly aboutOne: readonly Failure[];
}

/** The failures of a command that does the same for each of several IDs. */
export class IdFailures {
  readonly #context: Context;
  readonly #attempted: Attempted;
  readonly #failed: { readonly id: string; readonly error: SvcError }[] = [];

  constructor(context: Context, attempted: Attempted) {
    this.#context = context;
    this.#attempted = attempted;
  }

  /**
   * Reports the failure of one ID, so that the command continues with the next.
   * @throws the error where it is the only ID, and where the next would fail as well: then with the IDs that were not tried
   */
  async take(id: string, error: unknown): Promise<void> {
    const { ids, aboutOne } = this.#attempted;
    if (!(error instanceof SvcError) || ids.length === 1) throw error;
    if (!aboutOne.includes(error.failure)) {
      const left = ids.slice(ids.indexOf(id) + 1);
      const untried = left.length > 0 ? `; not tried: ${left.join(', ')}` : '';
      throw error.told({ message: `${id}: ${error.message}${untried}` });
    }
    this.#failed.push({ id, error });
    await this.#context.warn(`${id}: ${error.message}${error.status ? ` (${error.status})` : ''}`);
  }

  /** @throws SvcError `some_failed` with the IDs that failed */
  end(): void {
    const [first] = this.#failed;
    if (!first) return;
    const { noun, ids } = this.#attempted;
    const failed = this.#failed.map(({ id }) => id).join(', ');
    const { hint } = first.error;
    const message = `${this.#failed.length} of ${amount(ids.length, noun)} failed: ${failed}`;
    throw new SvcError('some_failed', message, hint === undefined ? {} : { hint });
  }
}
