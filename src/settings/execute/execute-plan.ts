import type { StopReason } from '../../bulk/batch-request.ts';
import type { PendingRecords, RecordList } from '../../bulk/batches.ts';
import { createLookup } from '../../bulk/create-lookup.ts';
import { type BatchLog, type JobDependencies, runBulkJob } from '../../bulk/job-engine.ts';
import type { JobRecorder } from '../../bulk/job-recorder.ts';
import { createLimiter } from '../../bulk/limiter/limiter.ts';
import { BATCH_CHARACTERS, BATCH_SIZE, chooseRetryPause, MAX_CONCURRENCY } from '../../bulk/pace.ts';
import { createRequestSender } from '../../bulk/request-sender.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../kernel/clock.ts';
import { KIND_CLASSES, SETTINGS_ROLES } from '../kinds.ts';
import type { Ledger, SentRecord } from '../ledger.ts';
import { queryKeys } from '../live/declared-query.ts';
import { findLiveRecord, type LiveRecord } from '../live/live-records.ts';
import { readLive } from '../live/read-live.ts';
import type { PlannedItem, PlannedWrite, PlanTarget, RecordKey } from '../plan.ts';
import { parseRecordKey } from '../record-key.ts';
import { needsLiveSecrets, revealSecrets, type SecretsByReference } from './item-secrets.ts';
import type { ItemStates } from './item-states.ts';
import {
  createItemRecord,
  groupForSending,
  type OutgoingRecord,
  readPendingUsers,
  splitByRequirements,
} from './outgoing-records.ts';
import { createItemSender, ITEM_FAILURES, isolateFailures } from './send-item.ts';

export interface ExecutionDependencies {
  readonly client: Client;
  readonly clock: Clock;
  /** Stops the execution when aborted. Writes in flight still finish. */
  readonly signal: AbortSignal;
  readonly target: PlanTarget;
  readonly ledger: Ledger;
  readonly secrets: SecretsByReference;
  readonly recorder: JobRecorder;
  /** Items that earlier runs of the job have sent. */
  readonly states: ItemStates;
  /** Called before each request, with an input of the operation for each record. */
  readonly beforeSend: (write: PlannedWrite, inputs: readonly LiveRecord[]) => Promise<void>;
}

type IndexedItem = PlannedItem & { readonly index: number };

/** An operation, with its bulk fields if it takes several records. */
interface CalledWrite {
  readonly write: PlannedWrite;
  readonly operation: Operation;
  readonly fields: BulkFields | undefined;
}

/** Sends the writes of a plan in order. An item that failed stops only the items that require it. */
export class PlanExecution {
  readonly #dependencies: ExecutionDependencies;
  readonly #ordered;
  readonly #concurrent;
  readonly #failed = new Set<RecordKey>();

  constructor(dependencies: ExecutionDependencies) {
    const { clock } = dependencies;
    this.#dependencies = dependencies;
    this.#ordered = createLimiter({ concurrency: 1, maximum: 1, clock });
    this.#concurrent = createLimiter({ concurrency: 'auto', maximum: MAX_CONCURRENCY, clock });
  }

  get inFlight(): number {
    return this.#ordered.inFlight + this.#concurrent.inFlight;
  }

  /** @returns the reason for an early stop */
  async run(writes: readonly PlannedWrite[]): Promise<StopReason | undefined> {
    const total = countItems(writes);
    let index = 0;
    let refusal: StopReason | undefined;
    for (const [at, write] of writes.entries()) {
      const isFile = write.from !== undefined;
      const isFirstOfFile = isFile && writes[at - 1]?.from === undefined;
      const stop = isFirstOfFile ? await this.#sendUsers(writes, total) : await this.#sendItems(write, index);
      if (stop && !isRefusal(stop)) return stop;
      refusal ??= stop;
      index += write.items.length;
    }
    return refusal;
  }

  async #sendItems(write: PlannedWrite, first: number): Promise<StopReason | undefined> {
    const called = await loadWrite(write);
    const items = write.items.map((item, at) => ({ ...item, index: first + at }));
    const unsent = new Set(items.map(({ key }) => key));
    for (const part of splitByRequirements(items)) {
      const records = await this.#prepare(called, part);
      const stop = await this.#send(called, records);
      // After too many refusals in a row, the rest of the write counts as failed, for the writes that require it.
      if (stop) {
        for (const key of unsent) this.#failed.add(key);
        return stop;
      }
      for (const { key } of part) unsent.delete(key);
    }
    return undefined;
  }

  /** Sends the users of a file, which all writes with a file share. Their indexes follow those of all items. */
  async #sendUsers(writes: readonly PlannedWrite[], first: number): Promise<StopReason | undefined> {
    const { ledger, target, states, signal } = this.#dependencies;
    const [write, ...others] = writes.filter(({ from }) => from !== undefined);
    if (!write?.from) return undefined;
    const called = await loadWrite(write);
    const organizations = new Set([write, ...others].map(({ shared }) => String(shared['organizationId'])));
    const isWanted = (record: SentRecord, organizationId: string) =>
      organizations.has(organizationId) && !ledger.knows(target, record);
    return this.#send(called, readPendingUsers(write.from, { first: first + states.users, isWanted, signal }));
  }

  #send(
    called: CalledWrite,
    records: AsyncIterable<PendingRecords> | readonly PendingRecords[],
  ): Promise<StopReason | undefined> {
    const { fields } = called;
    const limits = { records: fields?.field === undefined ? 1 : BATCH_SIZE, characters: BATCH_CHARACTERS };
    return runBulkJob({ records, limits, hasEarlierSuccess: true }, this.#dependenciesFor(called));
  }

  #dependenciesFor({ write, operation, fields }: CalledWrite): JobDependencies {
    const { client, clock, signal, recorder, states, beforeSend } = this.#dependencies;
    const calls = fields && { client, operation, fields, data: write.shared, single: false };
    const isResend = (index: number) => states.open.has(index);
    const send = isolateFailures(async (batch, kind) => {
      const { shared } = batch[0] as OutgoingRecord;
      await beforeSend(
        write,
        batch.map(({ value }) => ({ ...shared, ...Object(value) })),
      );
      const sender = calls
        ? createRequestSender({ ...calls, data: shared }, clock, 'exceptions')
        : createItemSender({ client, operation, shared, isResend }, clock);
      return sender(batch, kind);
    });
    // A record that exists is as good as sent if it can be neither read nor updated.
    const isEnsured = fields?.ifExists !== undefined && fields.ifExists.update === undefined;
    const exists = async (records: RecordList) => new Map(records.map(({ id }) => [id, true]));
    return {
      send: recorder.withMetrics(send),
      lookUp: (calls && createLookup(calls)) ?? (isEnsured ? exists : undefined),
      existing: isEnsured ? { action: 'skip' } : undefined,
      limiter: fields && !fields.inOrder ? this.#concurrent : this.#ordered,
      pause: (repetition, stopping) => clock.sleep(chooseRetryPause(repetition), stopping),
      signal,
      log: this.#createLog(write),
    };
  }

  /** Notes sent records in the ledger before the journal has them as settled: a resume sends the others again. */
  #createLog({ operation }: PlannedWrite): BatchLog {
    const { recorder, ledger, target } = this.#dependencies;
    const role = SETTINGS_ROLES[operation];
    const isSent = typeof role === 'object' && 'writes' in role && KIND_CLASSES[role.writes] === 'sent';
    return {
      recordIntent: (batch) => recorder.recordIntent(batch),
      recordResult: async (batch, result) => {
        const exceptions = result.items.filter(({ status }) => status !== 'succeeded' && status !== 'existing');
        const failed = new Set(exceptions.map(({ record }) => record));
        for (const record of failed) this.#failed.add((record as OutgoingRecord).key);
        const written = isSent ? batch.filter((record) => !failed.has(record)) : [];
        if (written.length > 0)
          ledger.noteSent(
            target,
            written.map((record) => (record as OutgoingRecord).sent),
          );
        await recorder.recordResult(batch, result);
      },
    };
  }

  /** Returns the records to send: without those already sent, and without those that require a failed item. */
  async #prepare({ write, fields }: CalledWrite, items: readonly IndexedItem[]): Promise<readonly PendingRecords[]> {
    const { client, states, secrets } = this.#dependencies;
    const records: OutgoingRecord[] = [];
    for (const { index, ...item } of items) {
      if (states.settled.has(index)) continue;
      const cause = [item.key, ...item.requires].find((key) => this.#failed.has(key));
      const live = needsLiveSecrets(item) ? await readLive(client, queryKeys([item.key])) : undefined;
      const data = Object(revealSecrets(item.data, secrets, live && findLiveRecord(live, item.key)));
      const record = createItemRecord(write, item, { index, data, fields });
      if (cause === undefined) records.push(record);
      else await this.#refuse(record, cause);
    }
    return groupForSending(records, states.open, fields?.field === undefined ? 1 : BATCH_SIZE);
  }

  async #refuse(record: OutgoingRecord, cause: RecordKey): Promise<void> {
    const { recorder } = this.#dependencies;
    const { kind, id } = parseRecordKey(cause);
    const message = `not sent, because it requires ${id} (${kind})`;
    this.#failed.add(record.key);
    recorder.recordIntent([record]);
    await recorder.recordResult([record], {
      items: [{ record, status: 'failed', message, code: 'not_sent' }],
      ...{ requests: 0, retries: 0, unexpectedIds: [], fatal: undefined, unanswered: undefined },
    });
  }
}

/** Whether the service refused many items of a write in a row for the same reason. Other writes may succeed. */
function isRefusal(stop: StopReason): boolean {
  return stop.kind === 'fatal' && ITEM_FAILURES.includes(stop.error.failure);
}

/** Counts the items of writes, without the users of a file. */
export function countItems(writes: readonly PlannedWrite[]): number {
  return writes.reduce((sum, { items }) => sum + items.length, 0);
}

async function loadWrite(write: PlannedWrite): Promise<CalledWrite> {
  const { resource, name } = getEntry(write.operation);
  const operation = await loadOperation(resource, name);
  return { write, operation, fields: operation.bulk && bulkFieldsOf(operation) };
}
