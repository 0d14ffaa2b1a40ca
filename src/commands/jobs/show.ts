import { findJob, jobState } from '../../bulk/journal/folder.ts';
import { Histogram } from '../../bulk/journal/histogram.ts';
import { Journal } from '../../bulk/journal/journal.ts';
import type { SavedMetrics } from '../../bulk/journal/metrics.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { type JobStatus, statusOf } from './status.ts';

/** Prints the receipt of a job: what was sent from where to where, what came of it, and how long it took. */
export async function showJob(context: Context, { arguments: [job = ''] }: Invocation): Promise<void> {
  const folder = await findJob(context.folders, job);
  const journal = await Journal.open(folder.journal);
  try {
    const receipt = receiptOf(
      statusOf(journal, await jobState(folder, journal)),
      journal.fact('done')?.rejects ?? null,
    );
    const printer = await context.printer();
    if ((await context.format()) === 'table') await printer.value(inShort(receipt), {});
    else await printer.value(receipt, {});
  } finally {
    journal.close();
  }
}

function receiptOf({ id, operation, state, description, run, metrics, ...status }: JobStatus, rejects: string | null) {
  const { input, target, data, options } = description;
  const { total, succeeded, failed, unknown, skipped, requests, retries } = status;
  return {
    ...{ id, operation, state },
    input: {
      path: input.spooled ? input.name : input.path,
      format: input.format,
      bytes: input.bytes,
      sha256: input.sha256,
    },
    target: { profile: target.profile, origin: target.origin, apiKey: target.apiKey },
    ...{ data, options },
    counts: { total, succeeded, failed, unknown, skipped },
    times: {
      startedAt: status.startedAt,
      endedAt: state === 'running' ? null : status.updatedAt,
      seconds: Math.round((metrics?.seconds ?? 0) * 1000) / 1000,
    },
    runs: run?.number ?? 0,
    ...{ requests, retries },
    waits: { count: metrics?.waits ?? 0, seconds: Math.round(metrics?.waitedMilliseconds ?? 0) / 1000 },
    latency: latencyOf(metrics),
    series: metrics?.series ?? { seconds: 1, points: [] },
    rejects,
  };
}

/** Milliseconds that requests took, retries and pauses included; told to within an eighth. */
function latencyOf(metrics: SavedMetrics | undefined) {
  const histogram = new Histogram(metrics?.latency);
  const at = (share: number) => {
    const value = histogram.quantile(share);
    return value === null ? null : Math.round(value * 10) / 10;
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

/** The receipt for people: without what only a program reads. */
function inShort({ data: _data, options: _options, series: _series, ...receipt }: ReturnType<typeof receiptOf>) {
  return receipt;
}
