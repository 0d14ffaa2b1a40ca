import { mergePoints, type SeriesPoint } from './time-series-point.ts';

const MAX_POINTS = 600;

/**
 * The progress of a job over its working time, in at most 600 intervals. When all are used, pairs of intervals are merged
 * and the interval doubles.
 */
export class Series {
  #interval: number;
  #points: SeriesPoint[];

  constructor(saved: SavedSeries = { seconds: 1, points: [] }) {
    this.#interval = saved.seconds;
    this.#points = [...saved.points];
  }

  /** @param second working time of the job in seconds */
  add(second: number, point: SeriesPoint): void {
    while (second / this.#interval >= MAX_POINTS) this.#halve();
    const at = Math.max(0, Math.floor(second / this.#interval));
    while (this.#points.length <= at) this.#points.push(mergePoints());
    this.#points[at] = mergePoints(this.#points[at], point);
  }

  #halve(): void {
    const pairs = Math.ceil(this.#points.length / 2);
    this.#points = Array.from({ length: pairs }, (_, at) =>
      mergePoints(this.#points[2 * at], this.#points[2 * at + 1]),
    );
    this.#interval *= 2;
  }

  save(): SavedSeries {
    return { seconds: this.#interval, points: this.#points };
  }
}

export interface SavedSeries {
  /** Length of an interval. */
  readonly seconds: number;
  readonly points: readonly SeriesPoint[];
}
