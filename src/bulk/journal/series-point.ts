/** What happened in one interval of a job over many records. */
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

const NOTHING: SeriesPoint = { settled: 0, failed: 0, requests: 0, milliseconds: 0, inFlight: 0 };

/** Two intervals as one. One that is not there adds nothing. */
export function joined(one: SeriesPoint = NOTHING, other: SeriesPoint = NOTHING): SeriesPoint {
  return {
    settled: one.settled + other.settled,
    failed: one.failed + other.failed,
    requests: one.requests + other.requests,
    milliseconds: one.milliseconds + other.milliseconds,
    inFlight: Math.max(one.inFlight, other.inFlight),
  };
}
