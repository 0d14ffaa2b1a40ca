export interface SeriesPoint {
  readonly settled: number;
  readonly failed: number;
  readonly requests: number;
  readonly milliseconds: number;
  /** Maximum of concurrent requests; 0 without requests. */
  readonly inFlight: number;
}

const EMPTY_POINT: SeriesPoint = {
  settled: 0,
  failed: 0,
  requests: 0,
  milliseconds: 0,
  inFlight: 0,
};

export function mergePoints(
  a: SeriesPoint = EMPTY_POINT,
  b: SeriesPoint = EMPTY_POINT,
): SeriesPoint {
  return {
    settled: a.settled + b.settled,
    failed: a.failed + b.failed,
    requests: a.requests + b.requests,
    milliseconds: a.milliseconds + b.milliseconds,
    inFlight: Math.max(a.inFlight, b.inFlight),
  };
}

const MAX_POINTS = 600;
/** The serialized form of a series: the length of an interval, and the intervals. */
export type SavedSeries = Readonly<Pick<Series, 'seconds' | 'points'>>;

/**
 * The progress of a job in at most 600 intervals. When all are used, merges pairs and doubles their
 * length.
 */
export class Series {
  seconds: number;
  points: SeriesPoint[];

  constructor({ seconds, points }: SavedSeries = { seconds: 1, points: [] }) {
    this.seconds = seconds;
    this.points = points;
  }

  /** @param second working time of the job in seconds */
  add(second: number, point: SeriesPoint): void {
    while (second / this.seconds >= MAX_POINTS) this.#halve();
    const at = Math.max(0, Math.floor(second / this.seconds));
    while (this.points.length <= at) this.points.push(mergePoints());
    this.points[at] = mergePoints(this.points[at], point);
  }

  #halve(): void {
    const pairs = Math.ceil(this.points.length / 2);
    this.points = Array.from({ length: pairs }, (_, at) =>
      mergePoints(this.points[2 * at], this.points[2 * at + 1]),
    );
    this.seconds *= 2;
  }
}
