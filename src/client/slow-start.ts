const FULL_WINDOW = 64;

/** Limits the requests in flight after a pause, first to one. The number doubles each round, up to the full rate. */
export class SlowStart {
  #window = Number.POSITIVE_INFINITY;
  #inFlight = 0;
  readonly #waiting = new Set<() => void>();

  begin(): void {
    this.#window = 1;
  }

  /** Resolves when one more request may be sent; rejects with the signal's reason. Each slot must be released. */
  async acquire(signal: AbortSignal | undefined): Promise<void> {
    while (this.#inFlight >= this.#window) await this.#waitForSlot(signal);
    this.#inFlight += 1;
  }

  /** @param isHandled whether the service processed the request instead of limiting it */
  release(isHandled: boolean): void {
    this.#inFlight -= 1;
    if (isHandled) this.#window += 1;
    if (this.#window > FULL_WINDOW) this.#window = Number.POSITIVE_INFINITY;
    let free = this.#window - this.#inFlight;
    for (const wake of this.#waiting) {
      if (free < 1) break;
      free -= 1;
      wake();
    }
  }

  #waitForSlot(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const cleanUp = () => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', stop);
      };
      const wake = () => {
        cleanUp();
        resolve();
      };
      const stop = () => {
        cleanUp();
        reject(signal?.reason);
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }
}
