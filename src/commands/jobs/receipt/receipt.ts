import type { FailureReasons } from '../../../bulk/failure-reasons.ts';
import type { Histogram } from '../../../bulk/journal/histogram.ts';
import type { JobInput } from '../../../bulk/journal/job-description.ts';
import type { SeriesPoint } from '../../../bulk/journal/time-series.ts';

/** Result of a bulk job, without secrets. JSON output has the same fields. */
export interface JobReceipt {
  readonly id: string;
  readonly operation: string;
  readonly state: 'running' | 'stopped' | 'done';
  readonly input: string;
  /** Input files, in order. Never empty. */
  readonly inputs: readonly Pick<JobInput, 'name' | 'format' | 'bytes' | 'sha256'>[];
  readonly data: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly target: { readonly profile: string | null; readonly origin: string; readonly apiKey: string | null };
  readonly counts: Readonly<Record<'total' | 'succeeded' | 'failed' | 'unknown' | 'skipped', number>>;
  readonly times: {
    /** Start of the first run, RFC 3339. */
    readonly startedAt: string;
    readonly endedAt: string | null;
    /** Total duration of all runs, in seconds. */
    readonly seconds: number;
  };
  readonly runs: number;
  readonly requests: number;
  readonly retries: number;
  /** Pauses for rate limits. */
  readonly waits: { readonly count: number; readonly seconds: number };
  /** Milliseconds per request. Null if no request was sent. */
  readonly latency: Readonly<Record<'p50' | 'p90' | 'p99' | 'max', number | null>>;
  /** Number of requests by duration, in ascending order. Empty steps may be missing. */
  readonly histogram: ReturnType<Histogram['steps']>;
  /** Totals per interval of `seconds`. */
  readonly series: { readonly seconds: number; readonly points: readonly SeriesPoint[] };
  readonly reasons: FailureReasons;
  readonly rejects: string | null;
}
