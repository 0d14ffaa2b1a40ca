import { RATE_WINDOW, type StartCount } from './starts.ts';

const MAX_PER_LANE = 64;
const MAX_TOTAL = 128;
/** Maximum claimed deliveries without a slot. */
const MAX_EXCESS_PER_LANE = 448;
const MAX_EXCESS_TOTAL = 2 * MAX_EXCESS_PER_LANE;
/** Time in which deliveries without a slot are expected to get one, in milliseconds. */
const WAITING_TIME = 250;

export interface EndpointRate {
  readonly limit: number;
  readonly recentStarts: readonly StartCount[];
}

export function remainingStarts({ limit, recentStarts }: EndpointRate): number {
  return limit - recentStarts.reduce((total, { count }) => total + count, 0);
}

interface LaneState {
  inFlight: number;
  /** Claimed deliveries whose attempts have not started. */
  waiting: number;
  /**
   * Maximum concurrent attempts. Lower for an unresponsive target, so that other lanes are not
   * delayed.
   */
  limit: number;
  /** Average duration of recent attempts, in milliseconds. Infinity without a recent response. */
  duration: number;
  blockedUntil: number;
}

/**
 * Slots for attempts. A claimed delivery takes a slot before its attempt starts. The lane of a fast
 * target may claim more deliveries than it has slots, so that a transaction claims many.
 */
export class Lanes {
  readonly #lanes = new Map<string, LaneState>();
  #inFlight = 0;
  #takenSlots = 0;
  #excess = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Returns how many deliveries a lane may claim. With a rate limit, all of them start at once. */
  capacity(lane: string, rate?: EndpointRate): number {
    const state = this.#stateOf(lane);
    const free = this.#freeSlots(state);
    if (!rate) return free + this.#freeExcess(state, free);
    const [oldest] = rate.recentStarts;
    const allowed = remainingStarts(rate);
    if (oldest && allowed <= 0) state.blockedUntil = oldest.at + RATE_WINDOW;
    return Math.max(0, Math.min(free, allowed));
  }

  /**
   * Returns the time at which a lane may claim its next delivery. Infinity if all slots are taken.
   */
  availableAt(lane: string): number {
    const state = this.#stateOf(lane);
    return this.#freeSlots(state) > 0 ? state.blockedUntil : Number.POSITIVE_INFINITY;
  }

  /** Returns the time until which the rate limit pauses a lane. */
  pausedUntil(lane: string): number {
    return this.#stateOf(lane).blockedUntil;
  }

  endPauses(): void {
    for (const state of this.#lanes.values()) state.blockedUntil = 0;
  }

  claim(lane: string, count: number): void {
    this.#change(lane, (state) => {
      state.waiting += count;
    });
  }

  /** Removes claimed deliveries whose attempts have not started. */
  unclaim(lane: string, count: number): void {
    this.claim(lane, -count);
  }

  canStart(lane: string): boolean {
    const { inFlight, limit } = this.#stateOf(lane);
    return inFlight < limit && this.#inFlight < MAX_TOTAL;
  }

  /** Starts the attempt of a claimed delivery. */
  start(lane: string): void {
    this.#change(lane, (state) => {
      state.waiting -= 1;
      state.inFlight += 1;
    });
  }

  /**
   * @param duration time until the response, in milliseconds; undefined if the target did not
   * respond
   */
  finish(lane: string, duration: number | undefined): void {
    this.#change(lane, (state) => {
      const { limit, duration: average } = state;
      state.inFlight -= 1;
      if (duration === undefined) {
        state.limit = Math.max(1, Math.floor(limit / 2));
        state.duration = Number.POSITIVE_INFINITY;
      } else {
        state.limit = Math.min(MAX_PER_LANE, limit * 2);
        state.duration = Number.isFinite(average) ? (average * 7 + duration) / 8 : duration;
      }
    });
  }

  forgetIdle(now: number): void {
    for (const [lane, { inFlight, waiting, limit, blockedUntil }] of this.#lanes) {
      const isIdle = inFlight === 0 && waiting === 0;
      if (isIdle && limit === MAX_PER_LANE && blockedUntil <= now) this.#lanes.delete(lane);
    }
  }

  #freeSlots({ inFlight, waiting, limit }: LaneState): number {
    // A lane can take half of the free slots, so that a few lanes cannot take all of them.
    const share = Math.ceil((MAX_TOTAL - this.#takenSlots) / 2);
    return Math.max(0, Math.min(limit - inFlight - waiting, share));
  }

  #freeExcess(state: LaneState, freeSlots: number): number {
    const { inFlight, waiting, limit, duration } = state;
    if (inFlight + waiting + freeSlots < limit) return 0;
    const expected = Math.floor((limit * WAITING_TIME) / Math.max(1, duration));
    const share = Math.ceil((MAX_EXCESS_TOTAL - this.#excess) / 2);
    return Math.max(0, Math.min(Math.min(MAX_EXCESS_PER_LANE, expected) - excess(state), share));
  }

  #change(lane: string, change: (state: LaneState) => void): void {
    const state = this.#stateOf(lane);
    this.#count(state, -1);
    change(state);
    this.#count(state, 1);
  }

  #count(state: LaneState, sign: 1 | -1): void {
    const { inFlight, waiting } = state;
    this.#inFlight += sign * inFlight;
    this.#excess += sign * excess(state);
    this.#takenSlots += sign * (inFlight + waiting - excess(state));
  }

  #stateOf(lane: string): LaneState {
    const known = this.#lanes.get(lane);
    if (known) return known;
    const created = {
      inFlight: 0,
      waiting: 0,
      limit: MAX_PER_LANE,
      duration: Number.POSITIVE_INFINITY,
      blockedUntil: 0,
    };
    this.#lanes.set(lane, created);
    return created;
  }
}

/** Returns how many claimed deliveries have no slot. */
function excess({ inFlight, waiting, limit }: LaneState): number {
  return Math.min(waiting, Math.max(0, inFlight + waiting - limit));
}
