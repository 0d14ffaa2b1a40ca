import { groupByReason } from '../../../bulk/failure-reasons.ts';
import { Histogram } from '../../../bulk/journal/histogram.ts';
import { type JobFolder, openJournal, readJobState } from '../../../bulk/journal/job-folder.ts';
import type { Journal } from '../../../bulk/journal/journal.ts';
import { createRecordLocator } from '../../../bulk/record-position.ts';
import { redactValue } from '../../../kernel/redact.ts';
import { type JobStatus, readStatus } from '../status.ts';

type LocatedReceipt = Readonly<ReturnType<typeof createReceipt>>;

/** Result of a bulk job, without secrets. JSON output has the same fields. */
export type JobReceipt = Omit<LocatedReceipt, 'paths'>;

export async function readReceipt(folder: JobFolder): Promise<LocatedReceipt> {
  const journal = await openJournal(folder);
  try {
    const status = readStatus(journal, await readJobState(folder, journal));
    return createReceipt(status, journal);
  } finally {
    journal.close();
  }
}

function createReceipt({ id, operation, state, input, description, run, metrics, ...status }: JobStatus, journal: Journal) {
  const { inputs, target, data, options } = description;
  const { total, succeeded, failed, unknown, skipped, requests, retries } = status;
  const histogram = new Histogram(metrics?.latency);
  const seconds = Math.round((metrics?.seconds ?? 0) * 1000) / 1000;
  return {
    ...{ id, operation, state, input },
    paths: inputs.map(({ spooled, name, path }) => (spooled ? name : path)),
    inputs: inputs.map(({ name, format, bytes, sha256 }) => ({ name, format, bytes, sha256 })),
    target: { profile: target.profile, origin: target.origin, apiKey: target.apiKey },
    data: redactValue(data, []) as typeof data,
    options: redactValue(options, []) as typeof options,
    counts: { total, succeeded, failed, unknown, skipped },
    times: { startedAt: status.startedAt, endedAt: state === 'running' ? null : status.updatedAt, seconds },
    runs: run?.number ?? 0,
    ...{ requests, retries },
    waits: { count: metrics?.waits ?? 0, seconds: Math.round(metrics?.waitedMilliseconds ?? 0) / 1000 },
    latency: summarizeLatency(histogram),
    histogram: histogram.steps(),
    series: metrics?.series ?? { seconds: 1, points: [] },
    reasons: groupByReason(journal.unsuccessfulRecords(), createRecordLocator(inputs)),
    rejects: journal.getFact('done')?.rejects ?? null,
  };
}

/** Computes latency quantiles in milliseconds per request, including retries and pauses. Accurate to about 9%. */
function summarizeLatency(histogram: Histogram) {
  const at = (share: number) => {
    const value = histogram.quantile(share);
    return value === null ? null : Math.round(value * 10) / 10;
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
