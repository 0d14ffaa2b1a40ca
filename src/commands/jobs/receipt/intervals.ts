import { mergePoints, type SeriesPoint } from '../../../bulk/journal/time-series.ts';
import type { JobReceipt } from './read-receipt.ts';

export interface Interval extends SeriesPoint {
  readonly from: number;
  readonly to: number;
}

const MIN_LAST_INTERVAL = 0.3;

/** Splits the duration of a job into equal intervals, at most `most`. Only the last interval may be shorter. */
export function splitIntoIntervals({ series, times }: Pick<JobReceipt, 'series' | 'times'>, most: number): readonly Interval[] {
  const { points, seconds } = series;
  const each = Math.max(1, Math.ceil(points.length / most));
  const length = each * seconds;
  const intervals: Interval[] = [];
  for (let at = 0; at < points.length; at += each) {
    const from = at * seconds;
    const isLast = at + each >= points.length;
    const to = isLast && times.seconds > from ? Math.min(times.seconds, from + length) : from + length;
    intervals.push({ ...points.slice(at, at + each).reduce((one, other) => mergePoints(one, other)), from, to });
  }
  const last = intervals.at(-1);
  const before = intervals.at(-2);
  if (!last || !before || last.to - last.from >= MIN_LAST_INTERVAL * length) return intervals;
  return [...intervals.slice(0, -2), { ...mergePoints(before, last), from: before.from, to: last.to }];
}

export function recordsPerSecond({ settled, from, to }: Pick<Interval, 'settled' | 'from' | 'to'>): number {
  return settled / (to - from);
}

/**
 * Computes the average records per second of a job. Counts the records of the intervals, because the counts of a
 * running or killed job are newer than its duration.
 */
export function averageRate(intervals: readonly Interval[], seconds: number): number {
  const settled = intervals.reduce((sum, interval) => sum + interval.settled, 0);
  return recordsPerSecond({ settled, from: 0, to: Math.max(seconds, intervals.at(-1)?.to ?? 1) });
}
