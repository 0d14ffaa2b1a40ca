import { formatCount, formatElapsed, formatMilliseconds } from '../../../output/quantities.ts';
import { averageRate, type Interval, recordsPerSecond, splitIntoIntervals } from '../receipt/intervals.ts';
import type { JobReceipt } from '../receipt/read-receipt.ts';
import { formatLatency, isSignificantWait } from '../receipt/render-receipt.ts';
import type { Chart } from './chart.ts';

/** Maximum number of columns that a phone can display clearly. */
const MAX_COLUMNS = 60;
const MIN_COLUMNS = 3;
const LABEL_COUNT = 5;

/** Creates the charts of a job. Very short jobs have no charts with a time axis. */
export function createCharts(receipt: JobReceipt): readonly Chart[] {
  const intervals = splitIntoIntervals(receipt, MAX_COLUMNS);
  const timeCharts =
    intervals.length >= MIN_COLUMNS
      ? [createThroughputChart(receipt, intervals), createResponseTimeChart(intervals), createInFlightChart(receipt, intervals)]
      : [];
  return receipt.histogram.length > 0 ? [...timeCharts, createLatencyChart(receipt)] : timeCharts;
}

function createThroughputChart({ times }: JobReceipt, intervals: readonly Interval[]): Chart {
  const formatRate = (interval: Interval) => formatCount(Math.round(recordsPerSecond(interval)));
  const peak = Math.max(...intervals.map(recordsPerSecond));
  const average = formatCount(Math.round(averageRate(intervals, times.seconds)));
  return createTimeChart(intervals, {
    title: 'Records per second',
    summary: `Average ${average}, peak ${formatCount(Math.round(peak))}.`,
    formatValue: formatCount,
    series: [
      { name: 'succeeded', kind: 'good' },
      { name: 'failed or unknown', kind: 'bad' },
    ],
    describe: (interval) =>
      `${formatRate(interval)} per second${interval.failed > 0 ? `, ${formatCount(interval.failed)} failed` : ''}`,
    values: ({ settled, failed, from, to }) => [(settled - failed) / (to - from), failed / (to - from)],
    table: {
      Records: ({ settled }) => formatCount(settled),
      'Failed or unknown': ({ failed }) => formatCount(failed),
      'Records per second': formatRate,
    },
  });
}

function createResponseTimeChart(intervals: readonly Interval[]): Chart {
  const mean = ({ milliseconds, requests }: Interval) => (requests > 0 ? milliseconds / requests : 0);
  const formatMean = (interval: Interval) => formatMilliseconds(mean(interval));
  const slowest = Math.max(...intervals.map(mean));
  return createTimeChart(intervals, {
    title: 'Response time',
    summary: `Mean response time per interval, including retries and pauses. Peak ${formatMilliseconds(slowest)}.`,
    formatValue: formatMilliseconds,
    series: [{ name: 'mean', kind: 'calm' }],
    describe: (interval) =>
      interval.requests > 0 ? `${formatMean(interval)}, ${formatCount(interval.requests)} requests` : 'no responses',
    values: (interval) => [mean(interval)],
    table: {
      Requests: ({ requests }) => formatCount(requests),
      'Mean time': (interval) => (interval.requests > 0 ? formatMean(interval) : ''),
    },
  });
}

function createInFlightChart({ waits }: JobReceipt, intervals: readonly Interval[]): Chart {
  const most = Math.max(...intervals.map(({ inFlight }) => inFlight));
  const waited = isSignificantWait(waits)
    ? `Requests waited ${formatElapsed(waits.seconds)} in total for rate limits.`
    : 'No request waited for rate limits.';
  return createTimeChart(intervals, {
    title: 'Requests in flight',
    summary: `Peak ${formatCount(most)}. ${waited}`,
    formatValue: formatCount,
    series: [{ name: 'in flight', kind: 'calm' }],
    describe: ({ inFlight }) => `peak ${formatCount(inFlight)}`,
    values: ({ inFlight }) => [inFlight],
    table: { 'Peak in flight': ({ inFlight }) => formatCount(inFlight) },
  });
}

function createLatencyChart({ histogram, latency }: JobReceipt): Chart {
  const steps = histogram.length;
  const edges = [...histogram.map(({ from }) => from), histogram.at(-1)?.to ?? 0];
  const marks = Array.from({ length: LABEL_COUNT }, (_, at) => edges[Math.round((at * steps) / (LABEL_COUNT - 1))] ?? 0);
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

interface TimeChart extends Pick<Chart, 'title' | 'summary' | 'formatValue' | 'series'> {
  readonly describe: (interval: Interval) => string;
  readonly values: (interval: Interval) => readonly number[];
  /** Columns of the data table after the time. */
  readonly table: Readonly<Record<string, (interval: Interval) => string>>;
}

function createTimeChart(intervals: readonly Interval[], { describe, values, table, ...chart }: TimeChart): Chart {
  const end = intervals.at(-1)?.to ?? 1;
  const formatSpan = ({ from, to }: Interval) => `${formatElapsed(from)} to ${formatElapsed(to)}`;
  return {
    ...chart,
    xLabels: Array.from({ length: LABEL_COUNT }, (_, at) => formatElapsed((at * end) / (LABEL_COUNT - 1))),
    columns: intervals.map((interval) => {
      const title = `${formatSpan(interval)}: ${describe(interval)}`;
      return { title, values: values(interval), from: interval.from / end, to: interval.to / end };
    }),
    table: {
      head: ['Time', ...Object.keys(table)],
      rows: intervals.map((interval) => [formatSpan(interval), ...Object.values(table).map((format) => format(interval))]),
    },
  };
}
