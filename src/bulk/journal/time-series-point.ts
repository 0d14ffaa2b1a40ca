/** Totals of one interval of a job. */
export interface SeriesPoint {
  readonly settled: number;
  /** The failed and unknown records among the settled ones. */
  readonly failed: number;
  readonly requests: number;
  /** Total duration of the requests. */
  readonly milliseconds: number;
  /** Maximum of concurrent requests; 0 without requests. */
  readonly inFlight: number;
}

const EMPTY_POINT: SeriesPoint = { settled: 0, failed: 0, requests: 0, milliseconds: 0, inFlight: 0 };

/** Merges two intervals. */
export function mergePoints(one: SeriesPoint = EMPTY_POINT, other: SeriesPoint = EMPTY_POINT): SeriesPoint {
  return {
    settled: one.settled + other.settled,
    failed: one.failed + other.failed,
    requests: one.requests + other.requests,
    milliseconds: one.milliseconds + other.milliseconds,
    inFlight: Math.max(one.inFlight, other.inFlight),
  };
}
