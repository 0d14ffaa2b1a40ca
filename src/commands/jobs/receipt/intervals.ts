import { joined, type SeriesPoint } from '../../../bulk/journal/series-point.ts';
import type { JobReceipt } from './receipt.ts';

/** What happened in one stretch of a job's time at work. */
export interface Interval extends SeriesPoint {
  /** Seconds. */
  readonly from: number;
  readonly to: number;
}

/** A shorter end than this part of the others says nothing by itself. */
const LEAST_END = 0.3;

/** The time of a job in at most so many intervals of one length; the last one ends with the job. */
export function intervalsOf(
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
    const to = isLast && times.seconds > from ? Math.min(times.seconds, from + length) : from + length;
    intervals.push({ ...points.slice(at, at + each).reduce((one, other) => joined(one, other)), from, to });
  }
  const last = intervals.at(-1);
  const before = intervals.at(-2);
  if (!last || !before || last.to - last.from >= LEAST_END * length) return intervals;
  return [...intervals.slice(0, -2), { ...joined(before, last), from: before.from, to: last.to }];
}

/** Records a second. */
export function throughput({ settled, from, to }: Interval): number {
  return settled / (to - from);
}
