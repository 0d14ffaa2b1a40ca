import { type JobFolder, jobState, openJournal } from '../../../bulk/journal/folder.ts';
import { Histogram } from '../../../bulk/journal/histogram.ts';
import type { Journal } from '../../../bulk/journal/journal.ts';
import { reasonsOf } from '../../../bulk/reasons.ts';
import { placesIn } from '../../../bulk/record-place.ts';
import { redactValue } from '../../../kernel/redact.ts';
import { type JobStatus, statusOf } from '../status.ts';
import type { JobReceipt } from './receipt.ts';

/** A receipt, with where each of its inputs is. */
type Receipt = JobReceipt & { readonly paths: readonly string[] };

/** What a job came to so far, with why records failed. */
export async function readReceipt(folder: JobFolder): Promise<Receipt> {
  const journal = await openJournal(folder);
  try {
    const status = statusOf(journal, await jobState(folder, journal));
    return receiptOf(status, journal);
  } finally {
    journal.close();
  }
}

function receiptOf(
  { id, operation, state, input, description, run, metrics, ...status }: JobStatus,
  journal: Journal,
): Receipt {
  const { inputs, target, data, options } = description;
  const { total, succeeded, failed, unknown, skipped, requests, retries } = status;
  const histogram = new Histogram(metrics?.latency);
  const seconds = Math.round((metrics?.seconds ?? 0) * 1000) / 1000;
  return {
    ...{ id, operation, state, input },
    paths: inputs.map(({ spooled, name, path }) => (spooled ? name : path)),
    inputs: inputs.map(({ name, format, bytes, sha256 }) => ({ name, format, bytes, sha256 })),
    target: { profile: target.profile, origin: target.origin, apiKey: target.apiKey },
    data: withoutSecrets(data),
    options: withoutSecrets(options),
    counts: { total, succeeded, failed, unknown, skipped },
    times: { startedAt: status.startedAt, endedAt: state === 'running' ? null : status.updatedAt, seconds },
    runs: run?.number ?? 0,
    ...{ requests, retries },
    waits: { count: metrics?.waits ?? 0, seconds: Math.round(metrics?.waitedMilliseconds ?? 0) / 1000 },
    latency: latencyOf(histogram),
    histogram: histogram.steps(),
    series: metrics?.series ?? { seconds: 1, points: [] },
    reasons: reasonsOf(journal.items(), placesIn(inputs)),
    rejects: journal.fact('done')?.rejects ?? null,
  };
}

function withoutSecrets(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object(redactValue(fields, []));
}

/** Milliseconds that requests took, retries and pauses included; told to within an eighth. */
function latencyOf(histogram: Histogram): JobReceipt['latency'] {
  const at = (share: number) => {
    const value = histogram.quantile(share);
    return value === null ? null : Math.round(value * 10) / 10;
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}
