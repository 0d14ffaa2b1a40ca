/** What happened in one interval of a job. */
export interface SeriesPoint {
  readonly settled: number;
  /** Of these, failed and unknown ones. */
  readonly failed: number;
  readonly requests: number;
  /** The sum of the requests' milliseconds. */
  readonly milliseconds: number;
  /** The most requests at once; 0 where none began or ended. */
  readonly inFlight: number;
}

const MOST_POINTS = 600;

/**
 * A job over the time that it was at work, interval by interval. There are never more than 600: when they are used up,
 * two become one and the interval doubles.
 */
export class Series {
  #interval: number;
  #points: SeriesPoint[];

  constructor(saved: SavedSeries = { seconds: 1, points: [] }) {
    this.#interval = saved.seconds;
    this.#points = [...saved.points];
  }

  /** @param second seconds that the job had been at work */
  add(second: number, point: SeriesPoint): void {
    while (second / this.#interval >= MOST_POINTS) this.#halve();
    const at = Math.max(0, Math.floor(second / this.#interval));
    while (this.#points.length <= at) this.#points.push(NOTHING);
    this.#points[at] = sum(this.#points[at], point);
  }

  #halve(): void {
    const pairs = Math.ceil(this.#points.length / 2);
    this.#points = Array.from({ length: pairs }, (_, at) => sum(this.#points[2 * at], this.#points[2 * at + 1]));
    this.#interval *= 2;
  }

  save(): SavedSeries {
    return { seconds: this.#interval, points: this.#points };
  }
}

export interface SavedSeries {
  /** The length of an interval. */
  readonly seconds: number;
  readonly points: readonly SeriesPoint[];
}

const NOTHING: SeriesPoint = { settled: 0, failed: 0, requests: 0, milliseconds: 0, inFlight: 0 };

function sum(one: SeriesPoint = NOTHING, other: SeriesPoint = NOTHING): SeriesPoint {
  return {
    settled: one.settled + other.settled,
    failed: one.failed + other.failed,
    requests: one.requests + other.requests,
    milliseconds: one.milliseconds + other.milliseconds,
    inFlight: Math.max(one.inFlight, other.inFlight),
  };
}
