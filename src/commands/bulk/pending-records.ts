import {
  BatchBoundaries,
  type BatchLimits,
  type BulkRecord,
  type PendingRecords,
  type RecordList,
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
import type { BulkOptions, BulkRequest } from './bulk-request.ts';
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

/** Counts the requests for records, and the records of each organization. */
export class SendingCounter {
  readonly #boundaries: BatchBoundaries;
  readonly #data: BulkRequest['data'];
  readonly #totals = new Map<unknown, { records: number }>();
  #total = { records: 0 };
  requests = 0;

  constructor(limits: BatchLimits, data: BulkRequest['data']) {
    this.#boundaries = new BatchBoundaries(limits);
    this.#data = data;
  }

  add(record: BulkRecord): void {
    if (this.#boundaries.add(record)) this.#startRequest(record);
    this.#total.records += 1;
  }

  #startRequest({ value, target }: BulkRecord): void {
    this.requests += 1;
    const own = isObject(value) ? value : {};
    const { organizationId } = { ...own, ...this.#data, ...target?.data };
    this.#total = this.#totals.get(organizationId) ?? { records: 0 };
    this.#totals.set(organizationId, this.#total);
  }

  endRequest(): void {
    this.#boundaries.end();
  }

  recordsOf(organizationId: string): number {
    return this.#totals.get(organizationId)?.records ?? 0;
  }
}

/**
 * Counts the requests for checked records, and the records of each organization.
 * @param ids the organizations that the records go to
 * @param counted the count of all valid records in the order of the input, if the check counted them
 */
export async function countSending(
  context: Context,
  input: CheckedInput,
  limits: BatchLimits,
  ids: readonly string[],
  counted?: SendingCounter,
): Promise<SendingPlan> {
  const { rules, check, grouped } = input;
  const sendsAllInOrder = !grouped && check.skipped === 0 && rules.shard === undefined;
  const counter = counted && sendsAllInOrder ? counted : await countRecords(input, limits);
  const { requests } = counter;
  if (ids.length === 0) return { requests };
  const unseen = await findNewOrganizations(context, ids);
  const organizations = ids.map((id) => ({
    id,
    total: counter.recordsOf(id),
    new: unseen.has(id),
  }));
  return { requests, organizations };
}

async function countRecords(input: CheckedInput, limits: BatchLimits): Promise<SendingCounter> {
  const counter = new SendingCounter(limits, input.data);
  for await (const records of readRecords(input)) {
    if (records.length === 0) counter.endRequest();
    for (const record of records) counter.add(record);
  }
  return counter;
}
