import { RATE_WINDOW, type StartCount } from './starts.ts';

const MAX_PER_LANE = 64;
const MAX_TOTAL = 128;

export interface EndpointRate {
  readonly limit: number;
  readonly recentStarts: readonly StartCount[];
}

export function remainingStarts({ limit, recentStarts }: EndpointRate): number {
  return limit - recentStarts.reduce((total, { count }) => total + count, 0);
}

interface LaneState {
  inFlight: number;
  /**
   * Maximum concurrent attempts. Lower for an unresponsive target, so that other lanes are not
   * delayed.
   */
  limit: number;
  blockedUntil: number;
}

export class Lanes {
  readonly #lanes = new Map<string, LaneState>();
  #inFlight = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  capacity(lane: string, rate?: EndpointRate): number {
    const free = this.#freeSlots(lane);
    if (!rate) return free;
    const [oldest] = rate.recentStarts;
    const allowed = remainingStarts(rate);
    if (oldest && allowed <= 0) this.#stateOf(lane).blockedUntil = oldest.at + RATE_WINDOW;
    return Math.max(0, Math.min(free, allowed));
  }

  /**
   * Returns the time at which a lane may start its next attempt. Infinity if all slots are taken.
   */
  availableAt(lane: string): number {
    return this.#freeSlots(lane) > 0 ? this.#stateOf(lane).blockedUntil : Number.POSITIVE_INFINITY;
  }

  /** Returns the time until which the rate limit pauses a lane. */
  pausedUntil(lane: string): number {
    return this.#stateOf(lane).blockedUntil;
  }

  endPauses(): void {
    for (const state of this.#lanes.values()) state.blockedUntil = 0;
  }

  start(lane: string, count: number): void {
    this.#stateOf(lane).inFlight += count;
    this.#inFlight += count;
  }

  /** @param isResponsive whether the target sent a response */
  finish(lane: string, isResponsive: boolean): void {
    const state = this.#stateOf(lane);
    state.inFlight -= 1;
    this.#inFlight -= 1;
    state.limit = isResponsive
      ? Math.min(MAX_PER_LANE, state.limit * 2)
      : Math.max(1, Math.floor(state.limit / 2));
  }

  forgetIdle(now: number): void {
    for (const [lane, { inFlight, limit, blockedUntil }] of this.#lanes) {
      if (inFlight === 0 && limit === MAX_PER_LANE && blockedUntil <= now) this.#lanes.delete(lane);
    }
  }

  #freeSlots(lane: string): number {
    const { inFlight, limit } = this.#stateOf(lane);
    // A lane can take half of the free slots, so that a few lanes cannot take all of them.
    return Math.max(0, Math.min(limit - inFlight, Math.ceil((MAX_TOTAL - this.#inFlight) / 2)));
  }

  #stateOf(lane: string): LaneState {
    const known = this.#lanes.get(lane);
    if (known) return known;
    const created = { inFlight: 0, limit: MAX_PER_LANE, blockedUntil: 0 };
    this.#lanes.set(lane, created);
    return created;
  }
}
