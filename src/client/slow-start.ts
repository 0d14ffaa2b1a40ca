/** From here on nothing is held back. */
const FULL_WINDOW = 64;

/**
 * How many requests may be under way once a pause is over: one, and for each that is answered one more, so that the
 * number doubles from round to round instead of starting with what closed the gate.
 */
export class SlowStart {
  #window = Number.POSITIVE_INFINITY;
  #underWay = 0;
  readonly #waiting = new Set<() => void>();

  begin(): void {
    this.#window = 1;
  }

  /** Resolves when one more request may leave; rejects with the signal's reason. Each has to be ended. */
  async enter(signal: AbortSignal | undefined): Promise<void> {
    while (this.#underWay >= this.#window) await this.#turn(signal);
    this.#underWay += 1;
  }

  /** `answered` says that the service took the request. */
  leave(answered: boolean): void {
    this.#underWay -= 1;
    if (answered) this.#window += 1;
    if (this.#window > FULL_WINDOW) this.#window = Number.POSITIVE_INFINITY;
    let free = this.#window - this.#underWay;
    for (const wake of this.#waiting) {
      if (free < 1) break;
      free -= 1;
      wake();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const end = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', stop);
      };
      const wake = () => {
        end();
        resolve();
      };
      const stop = () => {
        end();
        reject(signal?.reason);
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }
}
