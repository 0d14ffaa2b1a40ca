import type { SeriesPoint } from '../../../bulk/journal/series-point.ts';
import type { Reasons } from '../../../bulk/reasons.ts';

/** What a job over many records came to, as its receipt says it: plain data, without secrets. */
export interface JobReceipt {
  readonly id: string;
  readonly operation: string;
  readonly state: 'running' | 'stopped' | 'done';
  /** As all that was read is called. */
  readonly input: string;
  /** At least one, in order. */
  readonly inputs: readonly ReceiptInput[];
  /** The fields of the operation beside its records, and the flags of the command. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly target: { readonly profile: string | null; readonly origin: string; readonly apiKey: string | null };
  readonly counts: Readonly<Record<'total' | 'succeeded' | 'failed' | 'unknown' | 'skipped', number>>;
  readonly times: {
    /** RFC 3339. */
    readonly startedAt: string;
    readonly endedAt: string | null;
    /** Seconds at work, over all runs. */
    readonly seconds: number;
  };
  readonly runs: number;
  readonly requests: number;
  readonly retries: number;
  /** Pauses for rate limits. */
  readonly waits: { readonly count: number; readonly seconds: number };
  /** Milliseconds; null where nothing was sent. */
  readonly latency: Readonly<Record<'p50' | 'p90' | 'p99' | 'max', number | null>>;
  /** How many requests took how long, from the quickest on; steps that none took may be left out. */
  readonly histogram: readonly LatencyStep[];
  /** The time at work in intervals of so many seconds. */
  readonly series: { readonly seconds: number; readonly points: readonly SeriesPoint[] };
  readonly reasons: Reasons;
  readonly rejects: string | null;
}

/** A file of records. */
export interface ReceiptInput {
  /** As the user gave it. */
  readonly name: string;
  readonly format: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Milliseconds, and how many requests took so many. */
export interface LatencyStep {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}
