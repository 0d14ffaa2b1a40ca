import { RATE_WINDOW, type Start } from './starts.ts';

/** Attempts of one lane that may be under way at once, where it answers. */
const MOST_OF_LANE = 64;
/** Attempts of all lanes together. */
const MOST_OVERALL = 128;

/** The limit of an endpoint, and what all who deliver have begun within the window, oldest first. */
export interface Rate {
  readonly limit: number;
  readonly begun: readonly Start[];
}

/** Attempts that a rate limit still allows within the window. */
export function startsLeft({ limit, begun }: Rate): number {
  return limit - begun.reduce((total, { count }) => total + count, 0);
}

interface LaneState {
  underWay: number;
  /** Attempts that may be under way: fewer in a lane that does not answer, so that it holds little of what all share. */
  limit: number;
  /** Until when a rate limit lets nothing more begin. */
  closedUntil: number;
}

/** What is under way in each lane, and what may be begun beside it. */
export class Lanes {
  readonly #lanes = new Map<string, LaneState>();
  #underWay = 0;

  get underWay(): number {
    return this.#underWay;
  }

  /** Attempts that may be begun in a lane now. */
  room(lane: string, rate?: Rate): number {
    const free = this.#free(lane);
    if (!rate) return free;
    const [oldest] = rate.begun;
    const allowed = startsLeft(rate);
    if (oldest && allowed <= 0) this.#stateOf(lane).closedUntil = oldest.at + RATE_WINDOW;
    return Math.max(0, Math.min(free, allowed));
  }

  /** When something may be begun in a lane, as far as is known; never is when an attempt has to end first. */
  opensAt(lane: string): number {
    return this.#free(lane) > 0 ? this.#stateOf(lane).closedUntil : Number.POSITIVE_INFINITY;
  }

  begin(lane: string, count: number): void {
    this.#stateOf(lane).underWay += count;
    this.#underWay += count;
  }

  /** @param answered whether the other side answered at all */
  end(lane: string, answered: boolean): void {
    const state = this.#stateOf(lane);
    state.underWay -= 1;
    this.#underWay -= 1;
    state.limit = answered ? Math.min(MOST_OF_LANE, state.limit * 2) : Math.max(1, Math.floor(state.limit / 2));
  }

  /** Forgets the lanes of which nothing has to be known any more. */
  tidy(now: number): void {
    for (const [lane, { underWay, limit, closedUntil }] of this.#lanes) {
      if (underWay === 0 && limit === MOST_OF_LANE && closedUntil <= now) this.#lanes.delete(lane);
    }
  }

  #free(lane: string): number {
    const { underWay, limit } = this.#stateOf(lane);
    // Half of what is free, or a few lanes would take all of it and the others wait for them.
    return Math.max(0, Math.min(limit - underWay, Math.ceil((MOST_OVERALL - this.#underWay) / 2)));
  }

  #stateOf(lane: string): LaneState {
    const known = this.#lanes.get(lane);
    if (known) return known;
    const made = { underWay: 0, limit: MOST_OF_LANE, closedUntil: 0 };
    this.#lanes.set(lane, made);
    return made;
  }
}
