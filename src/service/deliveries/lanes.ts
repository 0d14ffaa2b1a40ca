/** Attempts of one lane that may be under way at once, where it answers. */
const MOST_OF_LANE = 64;
/** Attempts of all lanes together. */
const MOST_OVERALL = 128;
/**
 * Milliseconds in which a rate limit is not exceeded. A second, and what the way to a receiver may take more or less:
 * it counts what arrives.
 */
const RATE_WINDOW = 1_050;

interface LaneState {
  underWay: number;
  /** Attempts that may be under way: fewer in a lane that does not answer, so that it holds little of what all share. */
  limit: number;
  /** Until when a rate limit lets nothing more begin. */
  closedUntil: number;
  /** What was begun within the window, oldest first. */
  begun: { readonly at: number; readonly count: number }[];
}

/** What is under way in each lane, and what may be begun beside it. */
export class Lanes {
  readonly #lanes = new Map<string, LaneState>();
  #underWay = 0;

  get underWay(): number {
    return this.#underWay;
  }

  /** Attempts that may be begun in a lane now. */
  room(lane: string, rateLimit: number | undefined, now: number): number {
    const free = this.#free(lane);
    if (rateLimit === undefined) return free;
    const recent = this.#recent(lane, now);
    const [oldest] = recent;
    const allowed = rateLimit - sum(recent);
    if (oldest && allowed <= 0) this.#stateOf(lane).closedUntil = oldest.at + RATE_WINDOW;
    return Math.max(0, Math.min(free, allowed));
  }

  /** When something may be begun in a lane, as far as is known; never is when an attempt has to end first. */
  opensAt(lane: string): number {
    return this.#free(lane) > 0 ? this.#stateOf(lane).closedUntil : Number.POSITIVE_INFINITY;
  }

  begin(lane: string, count: number, now: number): void {
    if (count === 0) return;
    const state = this.#stateOf(lane);
    state.underWay += count;
    this.#underWay += count;
    this.#recent(lane, now).push({ at: now, count });
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
    for (const [lane, { underWay, limit }] of this.#lanes) {
      if (underWay === 0 && limit === MOST_OF_LANE && this.#recent(lane, now).length === 0) this.#lanes.delete(lane);
    }
  }

  #free(lane: string): number {
    const { underWay, limit } = this.#stateOf(lane);
    // Half of what is free, or a few lanes would take all of it and the others wait for them.
    return Math.max(0, Math.min(limit - underWay, Math.ceil((MOST_OVERALL - this.#underWay) / 2)));
  }

  #recent(lane: string, now: number): LaneState['begun'] {
    const { begun } = this.#stateOf(lane);
    while (begun[0] && begun[0].at <= now - RATE_WINDOW) begun.shift();
    return begun;
  }

  #stateOf(lane: string): LaneState {
    const known = this.#lanes.get(lane);
    if (known) return known;
    const made = { underWay: 0, limit: MOST_OF_LANE, closedUntil: 0, begun: [] };
    this.#lanes.set(lane, made);
    return made;
  }
}

function sum(begun: LaneState['begun']): number {
  return begun.reduce((total, { count }) => total + count, 0);
}
