import { formatCount, formatElapsed, formatMilliseconds } from '../../../output/quantities.ts';
import { averageRate, type Interval, recordsPerSecond, splitIntoIntervals } from '../receipt/intervals.ts';
import type { JobReceipt } from '../receipt/receipt.ts';
import { formatLatency, isSignificantWait } from '../receipt/render-receipt.ts';
import type { Chart } from './chart.ts';

/** Maximum number of columns that a phone can display clearly. */
const MAX_COLUMNS = 60;
const MIN_COLUMNS = 3;
const LABEL_COUNT = 5;

/** Creates the charts of a job. Very short jobs have no charts with a time axis. */
export function createCharts(receipt: JobReceipt): readonly Chart[] {
  const intervals = splitIntoIntervals(receipt, MAX_COLUMNS);
  const overTime =
    intervals.length >= MIN_COLUMNS
      ? [
          createThroughputChart(receipt, intervals),
          createResponseTimeChart(intervals),
          createInFlightChart(receipt, intervals),
        ]
      : [];
  return receipt.histogram.length > 0 ? [...overTime, createLatencyChart(receipt)] : overTime;
}

function createThroughputChart({ times }: JobReceipt, intervals: readonly Interval[]): Chart {
  const peak = Math.max(...intervals.map(recordsPerSecond));
  const average = formatCount(Math.round(averageRate(intervals, times.seconds)));
  return {
    title: 'Records per second',
    summary: `Average ${average}, peak ${formatCount(Math.round(peak))}.`,
    ...createAxes(intervals, formatCount),
    series: [
      { name: 'succeeded', kind: 'good' },
      { name: 'failed or unknown', kind: 'bad' },
    ],
    columns: createColumns(intervals, (interval) => {
      const { settled, failed, from, to } = interval;
      const title = `${formatCount(Math.round(recordsPerSecond(interval)))} per second${failed > 0 ? `, ${formatCount(failed)} failed` : ''}`;
      return { title, values: [(settled - failed) / (to - from), failed / (to - from)] };
    }),
    table: {
      head: ['Time', 'Records', 'Failed or unknown', 'Records per second'],
      rows: intervals.map((interval) => [
        formatSpan(interval),
        formatCount(interval.settled),
        formatCount(interval.failed),
        formatCount(Math.round(recordsPerSecond(interval))),
      ]),
    },
  };
}

function createResponseTimeChart(intervals: readonly Interval[]): Chart {
  const mean = ({ milliseconds, requests }: Interval) => (requests > 0 ? milliseconds / requests : 0);
  const slowest = Math.max(...intervals.map(mean));
  return {
    title: 'Response time',
    summary: `Mean response time per interval, including retries and pauses. Peak ${formatMilliseconds(slowest)}.`,
    ...createAxes(intervals, formatMilliseconds),
    series: [{ name: 'mean', kind: 'calm' }],
    columns: createColumns(intervals, (interval) => {
      const { requests } = interval;
      const title =
        requests > 0 ? `${formatMilliseconds(mean(interval))}, ${formatCount(requests)} requests` : 'no responses';
      return { title, values: [mean(interval)] };
    }),
    table: {
      head: ['Time', 'Requests', 'Mean time'],
      rows: intervals.map((interval) => [
        formatSpan(interval),
        formatCount(interval.requests),
        interval.requests > 0 ? formatMilliseconds(mean(interval)) : '',
      ]),
    },
  };
}

function createInFlightChart({ waits }: JobReceipt, intervals: readonly Interval[]): Chart {
  const peak = Math.max(...intervals.map(({ inFlight }) => inFlight));
  const waited = isSignificantWait(waits)
    ? `Requests waited ${formatElapsed(waits.seconds)} in total for rate limits.`
    : 'No request waited for rate limits.';
  return {
    title: 'Requests in flight',
    summary: `Peak ${formatCount(peak)}. ${waited}`,
    ...createAxes(intervals, formatCount),
    series: [{ name: 'in flight', kind: 'calm' }],
    columns: createColumns(intervals, ({ inFlight }) => ({
      title: `peak ${formatCount(inFlight)}`,
      values: [inFlight],
    })),
    table: {
      head: ['Time', 'Peak in flight'],
      rows: intervals.map((interval) => [formatSpan(interval), formatCount(interval.inFlight)]),
    },
  };
}

function createLatencyChart({ histogram, latency }: JobReceipt): Chart {
  const steps = histogram.length;
  const edges = [...histogram.map(({ from }) => from), histogram.at(-1)?.to ?? 0];
  const marks = Array.from(
    { length: LABEL_COUNT },
    (_, at) => edges[Math.round((at * steps) / (LABEL_COUNT - 1))] ?? 0,
  );
  return {
    title: 'Response time distribution',
    summary: `All requests: ${formatLatency(latency)}.`,
    formatValue: formatCount,
    xLabels: marks.map(formatMilliseconds),
    series: [{ name: 'requests', kind: 'calm' }],
    columns: histogram.map((step, at) => ({
      title: `${formatMilliseconds(step.from)} to ${formatMilliseconds(step.to)}: ${formatCount(step.count)} requests`,
      from: at / steps,
      to: (at + 1) / steps,
      values: [step.count],
    })),
    table: {
      head: ['Time', 'Requests'],
      rows: histogram
        .filter((step) => step.count > 0)
        .map((step) => [`${formatMilliseconds(step.from)} to ${formatMilliseconds(step.to)}`, formatCount(step.count)]),
    },
  };
}

function createAxes(
  intervals: readonly Interval[],
  value: Chart['formatValue'],
): Pick<Chart, 'xLabels' | 'formatValue'> {
  const end = intervals.at(-1)?.to ?? 0;
  return {
    formatValue: value,
    xLabels: Array.from({ length: LABEL_COUNT }, (_, at) => formatElapsed((at * end) / (LABEL_COUNT - 1))),
  };
}

function createColumns(
  intervals: readonly Interval[],
  shown: (interval: Interval) => { readonly title: string; readonly values: readonly number[] },
): Chart['columns'] {
  const end = intervals.at(-1)?.to ?? 1;
  return intervals.map((interval) => {
    const { title, values } = shown(interval);
    return { title: `${formatSpan(interval)}: ${title}`, values, from: interval.from / end, to: interval.to / end };
  });
}

function formatSpan({ from, to }: Interval): string {
  return `${formatElapsed(from)} to ${formatElapsed(to)}`;
}
