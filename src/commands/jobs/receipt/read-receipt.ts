import { groupByReason } from '../../../bulk/failure-reasons.ts';
import { Histogram } from '../../../bulk/journal/histogram.ts';
import type { JobFolder } from '../../../bulk/journal/job-folder.ts';
import type { Journal } from '../../../bulk/journal/journal.ts';
import type { UnsuccessfulRecord } from '../../../bulk/journal/outcomes.ts';
import { mergePoints, type SeriesPoint } from '../../../bulk/journal/time-series.ts';
import { createRecordLocator } from '../../../bulk/record-position.ts';
import { redactValue } from '../../../kernel/redact.ts';
import { findLostJobInput, type JobStatus, readJob } from '../status.ts';

type LocatedReceipt = Readonly<Awaited<ReturnType<typeof createReceipt>>>;
/** Result of a bulk job, without secrets. JSON output has the same fields. */
export type JobReceipt = Omit<LocatedReceipt, 'paths'>;

export function readReceipt(folder: JobFolder): Promise<LocatedReceipt> {
  return readJob(folder, createReceipt);
}

async function createReceipt(
  { id, operation, state, input, description, run, metrics, ...status }: JobStatus,
  journal: Journal,
) {
  const { inputs, target, data, options } = description;
  const { total, succeeded, failed, unknown, skipped, existing, requests, retries } = status;
  const histogram = new Histogram(metrics?.latency);
  const seconds = Math.round((metrics?.seconds ?? 0) * 1000) / 1000;
  return {
    id,
    operation,
    state,
    input,
    paths: inputs.map(({ spooled, name, path }) => (spooled ? name : path)),
    inputs: inputs.map(({ name, format, bytes, sha256 }) => ({ name, format, bytes, sha256 })),
    target: { profile: target.profile, origin: target.origin, apiKey: target.apiKey },
    data: redactValue(data, []) as typeof data,
    options: redactValue(options, []) as typeof options,
    counts: { total, succeeded, failed, unknown, skipped, existing },
    times: {
      startedAt: status.startedAt,
      endedAt: state === 'running' ? null : status.updatedAt,
      seconds,
    },
    runs: run?.number ?? 0,
    requests,
    retries,
    waits: {
      count: metrics?.waits ?? 0,
      seconds: Math.round(metrics?.waitedMilliseconds ?? 0) / 1000,
    },
    latency: summarizeLatency(histogram),
    series: metrics?.series ?? { seconds: 1, points: [] },
    reasons: groupByReason(unsuccessfulOf(journal), createRecordLocator(inputs)),
    lostInput: state === 'stopped' ? ((await findLostJobInput(description)) ?? null) : null,
    organizations: journal.getFact('organizations') ?? [],
    rejects: journal.getFact('done')?.rejects ?? null,
    user: description.startedBy?.user ?? null,
    agent: description.startedBy?.agent ?? null,
    ci: description.startedBy?.ci ?? null,
    trace: description.startedBy?.trace ?? null,
    approvedBy: journal.getFact('approvedBy') ?? [],
  };
}

function* unsuccessfulOf(journal: Journal): Generator<UnsuccessfulRecord> {
  yield* journal.unsuccessfulRecords();
  for (const change of journal.getFact('blocked') ?? [])
    yield { ...change, at: 0, status: 'failed' };
}

/**
 * Computes latency quantiles in milliseconds per request, including retries and pauses. Accurate to
 * about 9%.
 */
function summarizeLatency(histogram: Histogram) {
  const at = (share: number) => {
    const value = histogram.quantile(share);
    return value === null ? null : Math.round(value * 10) / 10;
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

export interface Interval extends SeriesPoint {
  readonly from: number;
  readonly to: number;
}

const MIN_LAST_INTERVAL = 0.3;

/**
 * Splits the duration of a job into equal intervals, at most `most`. Only the last interval may be
 * shorter.
 */
export function splitIntoIntervals(
  { series, times }: Pick<JobReceipt, 'series' | 'times'>,
  most: number,
): readonly Interval[] {
  const { points, seconds } = series;
  const each = Math.max(1, Math.ceil(points.length / most));
  const length = each * seconds;
  const intervals: Interval[] = [];
  for (let at = 0; at < points.length; at += each) {
    const from = at * seconds;
    const isLast = at + each >= points.length;
    const to =
      isLast && times.seconds > from ? Math.min(times.seconds, from + length) : from + length;
    intervals.push({
      ...points.slice(at, at + each).reduce((one, other) => mergePoints(one, other)),
      from,
      to,
    });
  }
  const last = intervals.at(-1);
  const before = intervals.at(-2);
  if (!last || !before || last.to - last.from >= MIN_LAST_INTERVAL * length) return intervals;
  return [
    ...intervals.slice(0, -2),
    { ...mergePoints(before, last), from: before.from, to: last.to },
  ];
}

export function recordsPerSecond({
  settled,
  from,
  to,
}: Pick<Interval, 'settled' | 'from' | 'to'>): number {
  return settled / (to - from);
}

/**
 * Computes the average records per second of a job. Counts the records of the intervals, because
 * the counts of a running or killed job are newer than its duration.
 */
export function averageRate(intervals: readonly Interval[], seconds: number): number {
  const settled = intervals.reduce((sum, interval) => sum + interval.settled, 0);
  return recordsPerSecond({ settled, from: 0, to: Math.max(seconds, intervals.at(-1)?.to ?? 1) });
}
