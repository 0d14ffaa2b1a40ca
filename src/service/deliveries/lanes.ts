import { RATE_WINDOW, type StartCount } from './starts.ts';

/** Concurrent attempts allowed in one responsive lane. */
const MAX_PER_LANE = 64;
/** Concurrent attempts allowed in all lanes together. */
const MAX_TOTAL = 128;

/** The rate limit of an endpoint, and the attempts that all processes started within the window, oldest first. */
export interface EndpointRate {
  readonly limit: number;
  readonly recentStarts: readonly StartCount[];
}

/** Counts the attempts that the rate limit still allows within the window. */
export function remainingStarts({ limit, recentStarts }: EndpointRate): number {
  return limit - recentStarts.reduce((total, { count }) => total + count, 0);
}

interface LaneState {
  inFlight: number;
  /** Concurrent attempts allowed. Lower in an unresponsive lane, so that it uses little of the shared limit. */
  limit: number;
  /** Time until which a rate limit blocks further attempts. */
  blockedUntil: number;
}

/** Tracks the attempts in flight in each lane, and limits how many more may start. */
export class Lanes {
  readonly #lanes = new Map<string, LaneState>();
  #inFlight = 0;

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Counts the attempts that may start in a lane now. */
  capacity(lane: string, rate?: EndpointRate): number {
    const free = this.#freeSlots(lane);
    if (!rate) return free;
    const [oldest] = rate.recentStarts;
    const allowed = remainingStarts(rate);
    if (oldest && allowed <= 0) this.#stateOf(lane).blockedUntil = oldest.at + RATE_WINDOW;
    return Math.max(0, Math.min(free, allowed));
  }

  /** Returns the earliest time at which an attempt may start in a lane; infinity while all its slots are taken. */
  availableAt(lane: string): number {
    return this.#freeSlots(lane) > 0 ? this.#stateOf(lane).blockedUntil : Number.POSITIVE_INFINITY;
  }

  start(lane: string, count: number): void {
    this.#stateOf(lane).inFlight += count;
    this.#inFlight += count;
  }

  /** @param isResponsive whether the target sent any response */
  finish(lane: string, isResponsive: boolean): void {
    const state = this.#stateOf(lane);
    state.inFlight -= 1;
    this.#inFlight -= 1;
    state.limit = isResponsive ? Math.min(MAX_PER_LANE, state.limit * 2) : Math.max(1, Math.floor(state.limit / 2));
  }

  /** Forgets lanes that are back in their initial state. */
  forgetIdle(now: number): void {
    for (const [lane, { inFlight, limit, blockedUntil }] of this.#lanes) {
      if (inFlight === 0 && limit === MAX_PER_LANE && blockedUntil <= now) this.#lanes.delete(lane);
    }
  }

  #freeSlots(lane: string): number {
    const { inFlight, limit } = this.#stateOf(lane);
    // Each lane gets half of the free slots, so that a few lanes cannot take all of them.
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
