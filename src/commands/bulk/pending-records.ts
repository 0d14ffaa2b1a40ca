import {
  type BatchLimits,
  type PendingRecords,
  type RecordList,
  splitIntoBatches,
} from '../../bulk/batches.ts';
import { type CheckedLists, readCheckedRecords } from '../../bulk/checked-records.ts';
import type { JobRecorder } from '../../bulk/job-recorder.ts';
import type { Journal } from '../../bulk/journal/journal.ts';
import type { SentBatch } from '../../bulk/journal/outcomes.ts';
import type { BatchCalls } from '../../bulk/request-sender.ts';
import { planResume } from '../../bulk/resume-plan.ts';
import type { Effect } from '../../catalog/define.ts';
import { isObject } from '../../kernel/json.ts';
import type { Context } from '../context.ts';
import type { BulkOptions } from './bulk-request.ts';
import type { SendingPlan } from './check-report.ts';
import type { CheckedInput } from './gather-input.ts';
import { findNewOrganizations } from './new-organizations.ts';

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
  const code = 'outcome_unknown';
  const markUnknown = async (batch: RecordList) =>
    recorder?.recordWithoutRequest(
      batch,
      batch.map((record) => ({ record, status: 'unknown', message, code })),
    );
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

/**
 * Counts the requests for checked records, and the records of each organization.
 * @param ids the organizations that the records go to
 */
export async function countSending(
  context: Context,
  input: CheckedInput,
  limits: BatchLimits,
  ids: readonly string[],
): Promise<SendingPlan> {
  const totals = new Map(ids.map((id) => [id, 0]));
  let requests = 0;
  for await (const batch of splitIntoBatches(readRecords(input), limits)) {
    requests += 1;
    const [record] = batch.records;
    const own = isObject(record?.value) ? record.value : {};
    const id = { ...own, ...input.data, ...record?.target?.data }['organizationId'];
    const total = typeof id === 'string' ? totals.get(id) : undefined;
    if (total !== undefined) totals.set(String(id), total + batch.records.length);
  }
  if (ids.length === 0) return { requests };
  const unseen = await findNewOrganizations(context, ids);
  const organizations = Array.from(totals, ([id, total]) => ({ id, total, new: unseen.has(id) }));
  return { requests, organizations };
}
