import type { AttemptOutcome } from './attempt-delivery.ts';
import type { ClaimedDelivery } from './claim.ts';
import type { AttemptResult } from './http-sender.ts';
import { Lanes } from './lanes.ts';

/** Longest wait of a claimed delivery for its attempt, in milliseconds. */
const MAX_WAIT = 5_000;

export interface DispatcherOptions {
  /** Must not reject. */
  readonly attempt: (delivery: ClaimedDelivery) => Promise<AttemptResult>;
  readonly onOutcome: (outcome: AttemptOutcome) => void;
  /** Time in milliseconds, for durations. */
  readonly now: () => number;
}

/** Starts the attempts of claimed deliveries as their lanes get free slots. */
export class Dispatcher {
  readonly lanes = new Lanes();
  readonly #options: DispatcherOptions;
  /** Waiting deliveries by lane. The lane that started an attempt last is the last one. */
  readonly #waiting = new Map<string, ClaimedDelivery[]>();
  #isStarting = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /** Adds deliveries that their lanes have claimed. */
  add(claimed: readonly ClaimedDelivery[]): void {
    for (const delivery of claimed) {
      const waiting = this.#waiting.get(delivery.lane);
      if (waiting) waiting.push(delivery);
      else this.#waiting.set(delivery.lane, [delivery]);
    }
    this.#startWaiting();
  }

  /**
   * Removes and returns the deliveries that have waited too long for a target that became slow.
   * @param now service time, like the time of the claims
   */
  removeOverdue(now: number): readonly ClaimedDelivery[] {
    return this.#remove(({ claimedAt }) => claimedAt > now || claimedAt < now - MAX_WAIT);
  }

  /** Removes all deliveries whose attempts have not started. */
  clear(): void {
    this.#remove(() => true);
  }

  #remove(isRemoved: (delivery: ClaimedDelivery) => boolean): readonly ClaimedDelivery[] {
    const removed: ClaimedDelivery[] = [];
    for (const [lane, waiting] of [...this.#waiting]) {
      const kept = waiting.filter((delivery) => !isRemoved(delivery));
      removed.push(...waiting.filter(isRemoved));
      this.lanes.unclaim(lane, waiting.length - kept.length);
      if (kept.length > 0) this.#waiting.set(lane, kept);
      else this.#waiting.delete(lane);
    }
    return removed;
  }

  #startWaiting(): void {
    for (const [lane, waiting] of [...this.#waiting]) {
      if (!this.lanes.canStart(lane)) continue;
      this.#waiting.delete(lane);
      while (waiting.length > 0 && this.lanes.canStart(lane)) {
        const delivery = waiting.shift();
        if (delivery) void this.#start(delivery);
      }
      if (waiting.length > 0) this.#waiting.set(lane, waiting);
    }
  }

  /** Starts waiting deliveries once per turn of the event loop, for all attempts that ended in it. */
  #startSoon(): void {
    if (this.#isStarting || this.#waiting.size === 0) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      this.#startWaiting();
    });
  }

  async #start(delivery: ClaimedDelivery): Promise<void> {
    const { attempt, onOutcome, now } = this.#options;
    const { lane } = delivery;
    this.lanes.start(lane);
    const startedAt = now();
    const result = await attempt(delivery);
    this.lanes.finish(lane, result.status === null ? undefined : now() - startedAt);
    onOutcome({ delivery, result });
    this.#startSoon();
  }
}
