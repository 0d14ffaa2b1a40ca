import type { BatchRequestOutcome, RequestKind, StopReason } from '../../src/bulk/batch-request.ts';
import type { BulkRecord, RecordList, RecordResult } from '../../src/bulk/batches.ts';
import { type BulkJob, type JobDependencies, runBulkJob } from '../../src/bulk/job-engine.ts';
import { createLimiter } from '../../src/bulk/limiter/limiter.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { SvcError } from '../../src/kernel/errors.ts';

export const recordsOf = (ids: readonly string[]): BulkRecord[] =>
  ids.map((id, index) => {
    const json = JSON.stringify({ id });
    return { id, index, line: index + 1, value: { id }, text: id, jsonLine: json, json };
  });
export const numbered = (count: number) =>
  recordsOf(Array.from({ length: count }, (_, at) => `u${at}`));

const EFFORT = { milliseconds: 1, limited: false, failed: false, retries: 0, waits: 0, waited: 0 };
export const success = (batch: RecordList) =>
  Object.fromEntries(batch.map(({ id }) => [id, { success: true }]));
export const answered = (reply: unknown): BatchRequestOutcome => ({
  kind: 'answered',
  response: reply,
  ...EFFORT,
});
export const failedBy = (
  kind: 'refused' | 'fatal',
  error = new SvcError('invalid_argument', 'bad'),
): BatchRequestOutcome => ({
  kind,
  error,
  ...EFFORT,
});
export const unanswered = (
  by: 'service' | 'connection',
  resend: 'now' | 'resumed' | 'never',
  error = new SvcError('outcome_unknown', 'no answer'),
): BatchRequestOutcome => ({ kind: 'unknown', error, by, resend, ...EFFORT });

export interface Ran {
  readonly stop: StopReason | undefined;
  /** The final result of each record, successes included. */
  readonly items: readonly RecordResult[];
  readonly unexpectedIds: readonly string[];
  readonly requests: number;
  readonly retries: number;
  readonly sent: readonly (readonly string[])[];
  /** Number of the repetition that each pause precedes. */
  readonly pauses: readonly number[];
}

interface Running extends Partial<Omit<BulkJob, 'records' | 'limits'>> {
  readonly records: BulkJob['records'];
  readonly batchSize?: number;
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly onIntent?: (batch: RecordList) => void;
  readonly lookUp?: JobDependencies['lookUp'];
  readonly existing?: JobDependencies['existing'];
}

type Send = (
  batch: RecordList,
  index: number,
  kind: RequestKind,
) => BatchRequestOutcome | Promise<BatchRequestOutcome>;

/** Runs a job against a scripted service. Pauses take no time. */
export async function run(
  { records, batchSize = 2, concurrency = 1, signal, onIntent, lookUp, existing, ...job }: Running,
  send: Send,
): Promise<Ran> {
  const items: RecordResult[] = [];
  const sent: string[][] = [];
  const unexpectedIds: string[] = [];
  const pauses: number[] = [];
  let [requests, retries] = [0, 0];
  const stop = await runBulkJob(
    { records, limits: { records: batchSize, characters: 1e6 }, reported: 'all', ...job },
    {
      signal: signal ?? new AbortController().signal,
      limiter: createLimiter({ concurrency, maximum: concurrency, clock: systemClock }),
      pause: async (repetition) => void pauses.push(repetition),
      lookUp,
      existing,
      log: {
        recordIntent: async (batch) => onIntent?.(batch),
        recordResult: async (_, result) => {
          items.push(...result.items);
          unexpectedIds.push(...result.unexpectedIds);
          requests += result.requests;
          retries += result.retries;
        },
      },
      send: async (batch, kind) => {
        sent.push(batch.map(({ id }) => id));
        return send(batch, sent.length - 1, kind);
      },
    },
  );
  return { stop, items, unexpectedIds, requests, retries, sent, pauses };
}

export const statuses = ({ items }: Ran) =>
  items.map(({ record, status }) => `${record.id} ${status}`);
