import { count, elapsed, millisecondsText } from '../../../output/quantities.ts';
import { type Interval, intervalsOf, throughput } from '../receipt/intervals.ts';
import type { JobReceipt } from '../receipt/receipt.ts';
import { isWorthTelling } from '../receipt/receipt-text.ts';
import type { Chart } from './chart.ts';

/** Columns of a chart over time; more are no longer told apart on a phone. */
const MOST_COLUMNS = 60;
/** Fewer say less than the figures of the receipt. */
const FEWEST_COLUMNS = 3;
const MARKS = 5;

/** The charts of a job; none of those for which it was over too soon. */
export function chartsOf(receipt: JobReceipt): readonly Chart[] {
  const intervals = intervalsOf(receipt, MOST_COLUMNS);
  const overTime =
    intervals.length >= FEWEST_COLUMNS
      ? [throughputChart(receipt, intervals), answerChart(intervals), inFlightChart(receipt, intervals)]
      : [];
  return receipt.histogram.length > 0 ? [...overTime, latencyChart(receipt)] : overTime;
}

function throughputChart({ counts, times }: JobReceipt, intervals: readonly Interval[]): Chart {
  const done = counts.succeeded + counts.failed + counts.unknown;
  const most = Math.max(...intervals.map(throughput));
  const average = count(Math.round(done / times.seconds));
  return {
    title: 'Records a second',
    summary: `${average} on average, ${count(Math.round(most))} at most.`,
    ...axes(intervals, count),
    parts: [
      { name: 'succeeded', kind: 'good' },
      { name: 'failed or unknown', kind: 'bad' },
    ],
    columns: columnsOf(intervals, (interval) => {
      const { settled, failed, from, to } = interval;
      const title = `${count(Math.round(throughput(interval)))} a second${failed > 0 ? `, ${count(failed)} failed` : ''}`;
      return { title, values: [(settled - failed) / (to - from), failed / (to - from)] };
    }),
    table: {
      head: ['Time', 'Records', 'Failed or unknown', 'Records a second'],
      rows: intervals.map((interval) => [
        spanOf(interval),
        count(interval.settled),
        count(interval.failed),
        count(Math.round(throughput(interval))),
      ]),
    },
  };
}

function answerChart(intervals: readonly Interval[]): Chart {
  const mean = ({ milliseconds, requests }: Interval) => (requests > 0 ? milliseconds / requests : 0);
  const slowest = Math.max(...intervals.map(mean));
  return {
    title: 'Time to an answer',
    summary: `The mean of the requests that were answered in each interval, retries and pauses included: ${millisecondsText(slowest)} at most.`,
    ...axes(intervals, millisecondsText),
    parts: [{ name: 'mean', kind: 'calm' }],
    columns: columnsOf(intervals, (interval) => {
      const { requests } = interval;
      const title = requests > 0 ? `${millisecondsText(mean(interval))}, ${count(requests)} requests` : 'no answers';
      return { title, values: [mean(interval)] };
    }),
    table: {
      head: ['Time', 'Requests', 'Mean time'],
      rows: intervals.map((interval) => [
        spanOf(interval),
        count(interval.requests),
        interval.requests > 0 ? millisecondsText(mean(interval)) : '',
      ]),
    },
  };
}

function inFlightChart({ waits }: JobReceipt, intervals: readonly Interval[]): Chart {
  const most = Math.max(...intervals.map(({ inFlight }) => inFlight));
  const waited = isWorthTelling(waits)
    ? `Rate limits held requests back for ${elapsed(waits.seconds)} in all.`
    : 'No rate limit held any back.';
  return {
    title: 'Requests in flight',
    summary: `At most ${count(most)} at once. ${waited}`,
    ...axes(intervals, count),
    parts: [{ name: 'in flight', kind: 'calm' }],
    columns: columnsOf(intervals, ({ inFlight }) => ({ title: `${count(inFlight)} at most`, values: [inFlight] })),
    table: {
      head: ['Time', 'In flight, at most'],
      rows: intervals.map((interval) => [spanOf(interval), count(interval.inFlight)]),
    },
  };
}

function latencyChart({ histogram, latency: { p50, p90, p99, max } }: JobReceipt): Chart {
  const named = { half: p50, '90 %': p90, '99 %': p99, all: max };
  const within = Object.entries(named).map(([share, value]) => `${share} within ${millisecondsText(value ?? 0)}`);
  const steps = histogram.length;
  const edges = [...histogram.map(({ from }) => from), histogram.at(-1)?.to ?? 0];
  const marks = Array.from({ length: MARKS }, (_, at) => edges[Math.round((at * steps) / (MARKS - 1))] ?? 0);
  return {
    title: 'How long answers took',
    summary: `Of all requests: ${within.join(', ')}.`,
    value: count,
    along: marks.map(millisecondsText),
    parts: [{ name: 'requests', kind: 'calm' }],
    columns: histogram.map((step, at) => ({
      title: `${millisecondsText(step.from)} to ${millisecondsText(step.to)}: ${count(step.count)} requests`,
      from: at / steps,
      to: (at + 1) / steps,
      values: [step.count],
    })),
    table: {
      head: ['Time', 'Requests'],
      rows: histogram
        .filter((step) => step.count > 0)
        .map((step) => [`${millisecondsText(step.from)} to ${millisecondsText(step.to)}`, count(step.count)]),
    },
  };
}

function axes(intervals: readonly Interval[], value: Chart['value']): Pick<Chart, 'along' | 'value'> {
  const end = intervals.at(-1)?.to ?? 0;
  return { value, along: Array.from({ length: MARKS }, (_, at) => elapsed((at * end) / (MARKS - 1))) };
}

function columnsOf(
  intervals: readonly Interval[],
  shown: (interval: Interval) => { readonly title: string; readonly values: readonly number[] },
): Chart['columns'] {
  const end = intervals.at(-1)?.to ?? 1;
  return intervals.map((interval) => {
    const { title, values } = shown(interval);
    return { title: `${spanOf(interval)}: ${title}`, values, from: interval.from / end, to: interval.to / end };
  });
}

function spanOf({ from, to }: Interval): string {
  return `${elapsed(from)} to ${elapsed(to)}`;
}
