import type { StopReason } from '../../bulk/batch-request.ts';
import type { PendingRecords, RecordList } from '../../bulk/batches.ts';
import { createLookup } from '../../bulk/create-lookup.ts';
import { type BatchLog, runBulkJob } from '../../bulk/job-engine.ts';
import type { JobRecorder } from '../../bulk/job-recorder.ts';
import { createLimiter } from '../../bulk/limiter/limiter.ts';
import {
  BATCH_CHARACTERS,
  BATCH_SIZE,
  chooseRetryPause,
  MAX_CONCURRENCY,
} from '../../bulk/pace.ts';
import { createRequestSender } from '../../bulk/request-sender.ts';
import { type BulkFields, bulkFieldsOf } from '../../catalog/bulk-fields.ts';
import type { Operation } from '../../catalog/define.ts';
import { loadOperation } from '../../catalog/index.ts';
import { getEntry } from '../../catalog/manifest.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../kernel/clock.ts';
import { writtenClassOf } from '../kinds.ts';
import type { Ledger, SentRecord } from '../ledger.ts';
import { queryKeys } from '../live/declared-query.ts';
import { readLive } from '../live/read-live.ts';
import { findLiveRecord, type LiveRecord } from '../live-records.ts';
import { needsLiveSecrets, revealSecrets, type SecretsByReference } from '../plan/item-secrets.ts';
import type { PlannedFile, PlannedItem, PlannedWrite, PlanTarget, RecordKey } from '../plan.ts';
import { parseRecordKey } from '../settings.ts';
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
  readonly states: ItemStates;
  /** Records that must not be written, nor those that require them. */
  readonly failed?: Iterable<RecordKey>;
  /** Called before each request, with an input of the operation for each record. */
  readonly beforeSend: (write: PlannedWrite, inputs: readonly LiveRecord[]) => Promise<void>;
}

type IndexedItem = PlannedItem & { readonly index: number };

interface CalledWrite {
  readonly write: PlannedWrite;
  readonly operation: Operation;
  readonly fields: BulkFields | undefined;
}

/**
 * Sends the writes of a plan in order. An item that failed stops only the items that require it.
 */
export class PlanExecution {
  readonly #dependencies: ExecutionDependencies;
  readonly #ordered;
  readonly #concurrent;
  readonly #failed: Set<RecordKey>;

  constructor(dependencies: ExecutionDependencies) {
    const { clock, failed } = dependencies;
    this.#dependencies = dependencies;
    this.#failed = new Set(failed);
    this.#ordered = createLimiter({ concurrency: 1, maximum: 1, clock });
    this.#concurrent = createLimiter({ concurrency: 'auto', maximum: MAX_CONCURRENCY, clock });
  }

  get inFlight(): number {
    return this.#ordered.inFlight + this.#concurrent.inFlight;
  }

  async run(writes: readonly PlannedWrite[]): Promise<StopReason | undefined> {
    const total = countItems(writes);
    let index = 0;
    let refusal: StopReason | undefined;
    for (const write of writes) {
      const stop = write.from
        ? await this.#sendUsers(write, write.from, total)
        : await this.#sendItems(write, index);
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
      // After too many refusals in a row, the rest of the write counts as failed, for the writes
      // that require it.
      if (stop) {
        for (const key of unsent) this.#failed.add(key);
        return stop;
      }
      for (const { key } of part) unsent.delete(key);
    }
    return undefined;
  }

  /** Sends the users of a file. Their indexes follow those of all items. */
  async #sendUsers(
    write: PlannedWrite,
    file: PlannedFile,
    items: number,
  ): Promise<StopReason | undefined> {
    const { ledger, target, states, signal } = this.#dependencies;
    const isWanted = (record: SentRecord) => !ledger.knows(target, record);
    return this.#send(
      await loadWrite(write),
      readPendingUsers(file, { first: items + states.users, isWanted, signal }),
    );
  }

  #send(
    { write, operation, fields }: CalledWrite,
    records: AsyncIterable<PendingRecords> | readonly PendingRecords[],
  ): Promise<StopReason | undefined> {
    const limits = {
      records: fields?.field === undefined ? 1 : BATCH_SIZE,
      characters: BATCH_CHARACTERS,
    };
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
    return runBulkJob(
      { records, limits, hasEarlierSuccess: true },
      {
        send: recorder.withMetrics(send),
        lookUp: (calls && createLookup(calls)) ?? (isEnsured ? exists : undefined),
        existing: isEnsured ? { action: 'skip' } : undefined,
        limiter: fields && !fields.inOrder ? this.#concurrent : this.#ordered,
        pause: (repetition, stopping) => clock.sleep(chooseRetryPause(repetition), stopping),
        signal,
        log: this.#createLog(write),
      },
    );
  }

  /**
   * Notes sent records in the ledger before the journal has them as settled: a resume sends the
   * others again.
   */
  #createLog({ operation }: PlannedWrite): BatchLog {
    const { recorder, ledger, target, clock } = this.#dependencies;
    const isSent = writtenClassOf(operation) === 'sent';
    return {
      recordIntent: (batch) => recorder.recordIntent(batch),
      recordResult: async (batch, result) => {
        const exceptions = result.items.filter(
          ({ status }) => status !== 'succeeded' && status !== 'existing',
        );
        const failed = new Set(exceptions.map(({ record }) => record as OutgoingRecord));
        for (const { key } of failed) this.#failed.add(key);
        const written = (batch as readonly OutgoingRecord[]).filter(
          (record) => !failed.has(record),
        );
        if (isSent && written.length > 0)
          ledger.noteSent(
            target,
            Array.from(written, ({ sent }) => sent),
            clock.now(),
          );
        await recorder.recordResult(batch, result);
      },
    };
  }

  /**
   * Returns the records to send: without those already sent, and without those that require a
   * failed item.
   */
  async #prepare(
    { write, fields }: CalledWrite,
    items: readonly IndexedItem[],
  ): Promise<readonly PendingRecords[]> {
    const { client, states, secrets } = this.#dependencies;
    const records: OutgoingRecord[] = [];
    for (const { index, ...item } of items) {
      if (states.settled.has(index)) continue;
      const cause = [item.key, ...item.requires].find((key) => this.#failed.has(key));
      const live = needsLiveSecrets(item)
        ? await readLive(client, queryKeys([item.key]))
        : undefined;
      const data = revealSecrets(item, secrets, live && findLiveRecord(live, item.key));
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
    await recorder.recordIntent([record]);
    await recorder.recordWithoutRequest(
      [record],
      [{ record, status: 'failed', message, code: 'not_sent' }],
    );
  }
}

function isRefusal(stop: StopReason): boolean {
  return stop.kind === 'fatal' && ITEM_FAILURES.includes(stop.error.failure);
}

/** Counts the items of writes, without the users of a file. */
export function countItems(writes: readonly PlannedWrite[]): number {
  return writes.reduce((sum, { items }) => sum + items.length, 0);
}

export function findSentFile(writes: readonly PlannedWrite[]): PlannedFile | undefined {
  return writes.find(({ from }) => from)?.from;
}

async function loadWrite(write: PlannedWrite): Promise<CalledWrite> {
  const { resource, name } = getEntry(write.operation);
  const operation = await loadOperation(resource, name);
  return { write, operation, fields: operation.bulk && bulkFieldsOf(operation) };
}
