import { joined, type SeriesPoint } from './series-point.ts';

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
    while (this.#points.length <= at) this.#points.push(joined());
    this.#points[at] = joined(this.#points[at], point);
  }

  #halve(): void {
    const pairs = Math.ceil(this.#points.length / 2);
    this.#points = Array.from({ length: pairs }, (_, at) => joined(this.#points[2 * at], this.#points[2 * at + 1]));
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
