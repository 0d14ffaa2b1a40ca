import { Histogram, type SavedHistogram } from './histogram.ts';
import { type SavedSeries, Series } from './time-series.ts';

export interface MeasuredRequest {
  /** Duration, including all attempts and pauses. */
  readonly milliseconds: number;
  readonly retries: number;
  /** Number and total milliseconds of pauses for rate limits. */
  readonly waits: number;
  readonly waited: number;
}

/** Metrics of a job over all its runs. Their size does not depend on the number of records. */
export class Metrics {
  readonly latency: Histogram;
  readonly series: Series;
  waits: number;
  waitedMilliseconds: number;
  /**
   * Requests and retries that the journal does not count, because their whole batch counts as
   * unsent.
   */
  strayRequests: number;
  strayRetries: number;
  readonly #secondsBefore: number;
  readonly #startedAt: number;

  constructor(startedAt: number, saved?: SavedMetrics) {
    this.latency = new Histogram(saved?.latency);
    this.series = new Series(saved?.series);
    this.waits = saved?.waits ?? 0;
    this.waitedMilliseconds = saved?.waitedMilliseconds ?? 0;
    this.strayRequests = saved?.strayRequests ?? 0;
    this.strayRetries = saved?.strayRetries ?? 0;
    this.#secondsBefore = saved?.seconds ?? 0;
    this.#startedAt = startedAt;
  }

  seconds(now: number): number {
    return this.#secondsBefore + Math.max(0, now - this.#startedAt) / 1000;
  }

  recordRequest(
    now: number,
    { milliseconds, retries, waits, waited }: MeasuredRequest,
    inFlight: number,
  ): void {
    this.latency.add(milliseconds);
    this.waits += waits;
    this.waitedMilliseconds += waited;
    this.series.add(this.seconds(now), {
      settled: 0,
      failed: 0,
      requests: 1 + retries,
      milliseconds,
      inFlight,
    });
  }

  recordSettled(now: number, settled: number, failed: number): void {
    this.series.add(this.seconds(now), {
      settled,
      failed,
      requests: 0,
      milliseconds: 0,
      inFlight: 0,
    });
  }

  save(now: number): SavedMetrics {
    const { waits, waitedMilliseconds, strayRequests, strayRetries, latency, series } = this;
    return {
      seconds: this.seconds(now),
      waits,
      waitedMilliseconds,
      strayRequests,
      strayRetries,
      latency,
      series,
    };
  }
}

export interface SavedMetrics
  extends Pick<Metrics, 'waits' | 'waitedMilliseconds' | 'strayRequests' | 'strayRetries'> {
  readonly seconds: number;
  readonly latency: SavedHistogram;
  readonly series: SavedSeries;
}
