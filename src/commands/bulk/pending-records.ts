import type { BatchLimits, PendingRecords, RecordList } from '../../bulk/batches.ts';
import { type CheckedLists, readCheckedRecords } from '../../bulk/checked-records.ts';
import type { JobRecorder } from '../../bulk/job-recorder.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import type { SentBatch } from '../../bulk/journal/outcomes.ts';
import type { BatchCalls } from '../../bulk/request-sender.ts';
import { planResume } from '../../bulk/resume-plan.ts';
import type { Effect } from '../../catalog/define.ts';
import type { BulkOptions } from './bulk-request.ts';
import type { CheckedInput } from './gather-input.ts';

/** Inputs of a run, besides its job. A first run and a resumed run use the same plan. */
export interface SendPlan {
  readonly calls: BatchCalls;
  readonly input: CheckedInput;
  readonly options: BulkOptions;
  readonly limits: BatchLimits;
  /** The organizations that records name and that are new. Absent for a resumed job. */
  readonly newOrganizations?: readonly string[];
}

/**
 * Maximum number of runs that may send a record while its outcome is unknown. Records with
 * caller-chosen IDs have no limit. Records that replace fields are sent at most twice.
 */
const MAX_SENDS = {
  read: 1,
  keyed: Number.POSITIVE_INFINITY,
  delete: Number.POSITIVE_INFINITY,
  set: 2,
  once: 1,
} as const satisfies Record<Effect, number>;

/**
 * Yields the records that a job has yet to send. Records as unknown those that must not be sent
 * again, or only omits them without a recorder.
 */
export function pendingRecords(
  { journal }: { readonly journal: Journal },
  { calls, input }: Pick<SendPlan, 'calls' | 'input'>,
  recorder?: JobRecorder,
): AsyncIterable<PendingRecords> {
  const { effect } = calls.operation;
  const mayResend = ({ sends }: SentBatch) => sends < MAX_SENDS[effect];
  const message = 'sent by a run that ended before the response arrived';
  const markUnknown = async (batch: RecordList) =>
    recorder?.recordResult(batch, {
      items: batch.map((record) => ({
        record,
        status: 'unknown',
        message,
        code: 'outcome_unknown',
      })),
      requests: 0,
      retries: 0,
      unexpectedIds: [],
      fatal: undefined,
      unanswered: undefined,
    });
  return planResume(readRecords(input), journal.sentBatches(), { mayResend, markUnknown });
}

export async function* readRecords(input: CheckedInput): AsyncGenerator<RecordList> {
  for await (const { records } of readLists(input)) yield records;
}

/** Reads the checked records in the order of sending. */
export function readLists({
  input,
  rules,
  check,
  grouped,
}: CheckedInput): AsyncGenerator<CheckedLists> {
  return grouped?.read() ?? readCheckedRecords(input, rules, check);
}
