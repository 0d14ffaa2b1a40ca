import type { RequestOutcome } from './outcome.ts';

/** Requests after which the limit is looked at again: as many as it is, but enough for a middle to mean something. */
const FEWEST_SAMPLES = { starting: 2, later: 8 };

/**
 * Requests waiting in front of the service, as told from their times: with fewer there is room, with more too many. Of a
 * high limit it is a part of it, since times are noisy.
 */
const ROOM_BELOW = { requests: 3, part: 1 / 4 };
const CROWDED_ABOVE = { requests: 6, part: 1 / 2 };

/** Milliseconds; a smaller rise says more of this machine than of the service. */
const LEAST_RISE = 10;

const AFTER_CROWDING = 0.75;
const AFTER_TROUBLE = 0.5;
const GROWTH = 1.25;

/** Looks at the limit after which what counts as a quick answer is found out anew, with half the requests. */
const LOOKS_TO_PROBE = 50;

/** Looks at the most without a sign of crowding, and milliseconds of the quickest answers, after which the most doubles. */
const LOOKS_TO_EXTEND = 3;
const LONG_WAY = 10;

/**
 * How many requests at once a service takes without slowing down. It starts at one, doubles until answers take longer or
 * the service refuses, and from then on grows slowly and gives way fast.
 *
 * How many requests wait in front of the service follows from the times, as in TCP Vegas: of `n` in flight,
 * `n * (1 - quickest / usual)`. Both times are medians over a look, so that single slow answers change nothing.
 */
export class AdaptiveLimit {
  #current = 1;
  readonly #usualMost: number;
  #most: number;
  #starting = true;
  #quickest = Number.POSITIVE_INFINITY;
  #times: number[] = [];
  #looks = 0;
  #looksAtMost = 0;
  /** The limit to go back to after a look with half of it. */
  #probed: number | undefined;
  /** Outcomes of requests that started before the limit was cut, and are no reason to cut it again. */
  #stale = 0;

  constructor(most: number) {
    this.#usualMost = most;
    this.#most = most;
  }

  get current(): number {
    return this.#current;
  }

  settle({ milliseconds, waited = 0, limited, failed }: RequestOutcome): void {
    if (this.#stale > 0) this.#stale -= 1;
    else if (limited || failed) this.#giveWay();
    else if (waited === 0) this.#times.push(milliseconds);
    const fewest = this.#starting ? FEWEST_SAMPLES.starting : FEWEST_SAMPLES.later;
    if (this.#times.length >= Math.max(fewest, this.#current)) this.#look();
  }

  #giveWay(): void {
    this.#most = this.#usualMost;
    this.#looksAtMost = 0;
    this.#cutTo(this.#current * AFTER_TROUBLE);
  }

  #look(): void {
    const usual = median(this.#times);
    this.#times = [];
    this.#quickest = Math.min(this.#quickest, usual);
    this.#looks += 1;
    if (this.#probed === undefined) this.#judge(usual);
    else this.#current = this.#probed;
    this.#probed = undefined;
    if (this.#looks % LOOKS_TO_PROBE === 0) this.#probe();
  }

  #judge(usual: number): void {
    const waiting = usual - this.#quickest < LEAST_RISE ? 0 : this.#current * (1 - this.#quickest / usual);
    if (waiting > this.#bound(CROWDED_ABOVE)) this.#cutTo(this.#current * AFTER_CROWDING);
    else if (waiting < this.#bound(ROOM_BELOW)) this.#grow();
    else this.#starting = false;
  }

  #bound({ requests, part }: typeof ROOM_BELOW): number {
    return Math.max(requests, part * this.#current);
  }

  #grow(): void {
    if (this.#current >= this.#most) this.#looksAtMost += 1;
    if (this.#looksAtMost >= LOOKS_TO_EXTEND && this.#quickest >= LONG_WAY) this.#most = 2 * this.#usualMost;
    const grown = this.#starting ? this.#current * 2 : Math.max(this.#current + 1, Math.floor(this.#current * GROWTH));
    this.#current = Math.min(this.#most, grown);
    if (this.#current === this.#usualMost) this.#starting = false;
  }

  #cutTo(limit: number): void {
    this.#stale = this.#current - 1;
    this.#current = Math.max(1, Math.floor(limit));
    this.#starting = false;
    this.#probed = undefined;
    this.#times = [];
  }

  #probe(): void {
    const limit = this.#current;
    this.#cutTo(limit / 2);
    this.#probed = limit;
    this.#quickest = Number.POSITIVE_INFINITY;
  }
}

function median(times: number[]): number {
  times.sort((one, other) => one - other);
  return times[(times.length - 1) >> 1] ?? 0;
}
