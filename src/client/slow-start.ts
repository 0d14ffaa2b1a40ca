import { EventEmitter, once } from 'node:events';

const FULL_WINDOW = 64;

/**
 * Limits the requests in flight after a pause, first to one. The number doubles each round, up to
 * the full rate.
 */
export class SlowStart {
  #window = Number.POSITIVE_INFINITY;
  #inFlight = 0;
  readonly #slots = new EventEmitter().setMaxListeners(0);

  begin(): void {
    this.#window = 1;
  }

  /**
   * Resolves when one more request may be sent; rejects with the signal's reason. Each slot must be
   * released.
   */
  async acquire(signal: AbortSignal | undefined): Promise<void> {
    while (this.#inFlight >= this.#window) {
      await once(this.#slots, 'released', { signal }).catch(() => {
        throw signal?.reason;
      });
    }
    this.#inFlight += 1;
  }

  /** @param isHandled whether the service processed the request instead of limiting it */
  release(isHandled: boolean): void {
    this.#inFlight -= 1;
    if (isHandled) this.#window += 1;
    if (this.#window > FULL_WINDOW) this.#window = Number.POSITIVE_INFINITY;
    this.#slots.emit('released');
  }
}
