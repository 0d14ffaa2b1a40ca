import type { SvcError } from '../kernel/errors.ts';
import type { BatchRequestOutcome, RequestKind } from './batch-request.ts';
import {
  type ParsedResponse,
  parseItemResults,
  parseSharedResult,
  type ReportedRecords,
} from './batch-response.ts';
import type { Batch, RecordList, RecordResult, RecordStatus } from './batches.ts';
import {
  type ExistingRecords,
  type LookUpRecords,
  resolveExisting,
  settleExisting,
} from './existing-records.ts';
import type { RepeatedRefusals } from './repeated-refusals.ts';

export interface BatchResult {
  /**
   * Results in input order, of all records or only of the exceptions. A skipped record was not
   * applied.
   */
  readonly items: readonly RecordResult[];
  readonly requests: number;
  readonly retries: number;
  readonly unexpectedIds: readonly string[];
  readonly fatal: SvcError | undefined;
  /** The error of a batch that ended without a response. */
  readonly unanswered: SvcError | undefined;
}

type Send = (batch: RecordList, kind: RequestKind) => Promise<BatchRequestOutcome | undefined>;

export interface BatchSenderDependencies {
  readonly send: Send;
  readonly pause: (repetition: number) => Promise<void>;
  readonly countAnswered: () => number;
  readonly repeatedRefusals: RepeatedRefusals;
  readonly lookUp?: LookUpRecords | undefined;
  readonly existing?: ExistingRecords<Send> | undefined;
  readonly reported: ReportedRecords;
}

const INTERNAL_ERROR_RETRIES = 2;
/**
 * Maximum number of retries for a batch without a response: if other requests get responses, and if
 * none do.
 */
const MAX_RESENDS = { answered: 8, silent: 2 };

/**
 * Sends a batch. If the service refuses the whole batch, bisects it until the invalid records are
 * isolated and the others succeed. Records that the service names as invalid are removed
 * immediately. Each invalid record costs at most 2·log2(n) additional requests.
 */
export async function sendBatch(
  { records, isResend }: Batch,
  dependencies: BatchSenderDependencies,
): Promise<BatchResult> {
  const sender = new BatchSender(records.length, isResend, dependencies);
  await sender.send(records);
  return sender.result();
}

type Progression = 'accepted' | 'refused' | 'undecided';

class BatchSender {
  readonly #dependencies: BatchSenderDependencies;
  readonly #size: number;
  readonly #items: RecordResult[] = [];
  readonly #unexpectedIds: string[] = [];
  #requests = 0;
  #retries = 0;
  #fatal: SvcError | undefined;
  #unanswered: SvcError | undefined;
  /** Whether a request without a response may have applied some of the records. */
  #mayBeApplied: boolean;
  /** The latest refusal of a record that was the only one in its request. */
  #lastRefusal: SvcError | undefined;

  constructor(size: number, isResend: boolean, dependencies: BatchSenderDependencies) {
    this.#size = size;
    this.#mayBeApplied = isResend;
    this.#dependencies = dependencies;
  }

  result(): BatchResult {
    // Meanwhile, another batch may have shown that the request itself is at fault.
    this.#checkFatal();
    return {
      items: this.#items.toSorted((a, b) => a.record.index - b.record.index),
      requests: this.#requests,
      retries: this.#retries,
      unexpectedIds: this.#unexpectedIds,
      fatal: this.#fatal,
      unanswered: this.#unanswered,
    };
  }

  async send(batch: RecordList, kind: RequestKind = 'new'): Promise<Progression> {
    const outcome = await this.#sendRequest(batch, kind);
    switch (outcome?.kind) {
      case undefined:
        return this.#finishAll(batch, 'skipped', NOT_SENT);
      case 'confirmed':
        return this.#readResponse(batch, ALL_SUCCEEDED);
      case 'answered':
        return this.#readResponse(
          batch,
          parseItemResults(batch, outcome.response, this.#dependencies.reported),
        );
      case 'answered_together':
        return this.#readResponse(
          batch,
          parseSharedResult(batch, outcome.response, this.#dependencies.reported),
        );
      case 'fatal':
        this.#fatal = outcome.error;
        return this.#finishAll(batch, 'skipped', detailsOf(outcome.error));
      case 'refused':
        if (outcome.invalidRecords?.size)
          return this.#sendWithoutInvalid(batch, outcome.invalidRecords, outcome.error);
        if (outcome.tooLarge && batch.length > 1) return this.#sendHalves(batch);
        if (isAboutOrganization(outcome.error)) return this.#refuseAll(batch, outcome.error);
        return this.#bisect(batch, 'failed', outcome.error);
      case 'unknown':
        if (outcome.by === 'service' && outcome.resend !== 'never')
          return this.#bisect(batch, 'unknown', outcome.error);
        this.#unanswered = outcome.error;
        return this.#finishAll(batch, 'unknown', {
          ...detailsOf(outcome.error),
          ...(outcome.resend !== 'never' && { open: true }),
        });
    }
  }

  /** Sends one request, and retries it if the connection failed while other requests succeed. */
  async #sendRequest(
    batch: RecordList,
    kind: RequestKind,
  ): Promise<BatchRequestOutcome | undefined> {
    if (this.#fatal) return undefined;
    const { send, pause, countAnswered } = this.#dependencies;
    let last: BatchRequestOutcome | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const before = countAnswered();
      const outcome = await send(batch, kind);
      if (!outcome) return last;
      last = outcome;
      this.#mayBeApplied ||=
        outcome.kind === 'unknown' || ('unsettled' in outcome && outcome.unsettled === true);
      this.#requests += 1 + outcome.retries;
      this.#retries += outcome.retries + (attempt > 1 ? 1 : 0);
      if (outcome.kind !== 'unknown' || outcome.by !== 'connection' || outcome.resend !== 'now')
        return outcome;
      const maxRetries =
        countAnswered() > before ? MAX_RESENDS.answered : before > 0 ? MAX_RESENDS.silent : 0;
      if (attempt > maxRetries) return outcome;
      await pause(attempt);
    }
  }

  async #sendWithoutInvalid(
    batch: RecordList,
    invalidRecords: ReadonlyMap<number, string>,
    { failure }: SvcError,
  ): Promise<Progression> {
    const [invalid, valid] = [
      batch.filter((_, at) => invalidRecords.has(at)),
      batch.filter((_, at) => !invalidRecords.has(at)),
    ];
    for (const record of invalid) {
      const message = invalidRecords.get(batch.indexOf(record)) ?? null;
      this.#items.push({ record, status: 'failed', message, code: failure });
    }
    if (valid.length > 0) await this.send(valid);
    return 'refused';
  }

  /**
   * Sends the first half, then the second. If the first half is accepted, the second contains the
   * invalid record.
   */
  async #bisect(
    batch: RecordList,
    status: 'failed' | 'unknown',
    error: SvcError,
  ): Promise<Progression> {
    if (batch.length === 1) return this.#finishSingle(batch, status, error);
    const kind = status === 'unknown' ? 'part' : 'new';
    const half = Math.floor(batch.length / 2);
    const [first, second] = [batch.slice(0, half), batch.slice(half)];
    const progression = await this.send(first, kind);
    if (progression === 'accepted' && second.length > 1) await this.#bisect(second, status, error);
    else await this.send(second, kind);
    return 'refused';
  }

  /** Sends both halves as separate batches, because each may now be small enough. */
  async #sendHalves(batch: RecordList): Promise<Progression> {
    const half = Math.floor(batch.length / 2);
    await this.send(batch.slice(0, half));
    await this.send(batch.slice(half));
    return 'refused';
  }

  #finishSingle(batch: RecordList, status: 'failed' | 'unknown', error: SvcError): Progression {
    this.#lastRefusal = error;
    this.#dependencies.repeatedRefusals.recordRefusal(error);
    this.#finishAll(batch, status, detailsOf(error));
    this.#checkFatal();
    return 'refused';
  }

  /**
   * Ends a batch whose organization is refused: each of its parts would be refused too. If the
   * command names the organization, all records have the same one.
   */
  #refuseAll(batch: RecordList, error: SvcError): Progression {
    const isOfRecords = batch[0]?.target?.data['organizationId'] !== undefined;
    if (!isOfRecords && !this.#dependencies.repeatedRefusals.hasSuccess) {
      this.#fatal = error;
      return this.#finishAll(batch, 'skipped', detailsOf(error));
    }
    this.#finishAll(batch, 'failed', detailsOf(error));
    return 'refused';
  }

  /**
   * Stops if the request itself is at fault, and marks its refused records as unsent, so that they
   * can be sent later.
   */
  #checkFatal(): void {
    const error = this.#lastRefusal;
    if (!error || !this.#dependencies.repeatedRefusals.isRequestAtFault(this.#size)) return;
    this.#fatal ??= error;
    for (const [at, item] of this.#items.entries()) {
      if (item.status === 'failed' && item.message === error.message)
        this.#items[at] = { ...item, status: 'skipped' };
    }
  }

  /** Applies a response, and retries only the records that failed with an internal error. */
  async #readResponse(
    batch: RecordList,
    { items: first, unexpectedIds }: ParsedResponse,
  ): Promise<Progression> {
    let items = await this.#settleExisting(first);
    const settled: RecordResult[] = [];
    this.#unexpectedIds.push(...unexpectedIds);
    if (items.length < batch.length || items.some(({ status }) => status === 'succeeded'))
      this.#dependencies.repeatedRefusals.recordSuccess();
    for (let repetition = 1; repetition <= INTERNAL_ERROR_RETRIES; repetition += 1) {
      const failedRecords = items.filter(isInternalError).map(({ record }) => record);
      if (failedRecords.length === 0) break;
      await this.#dependencies.pause(repetition);
      const retried = await this.#resend(failedRecords);
      if (!retried) break;
      settled.push(...items.filter((item) => !isInternalError(item)));
      items = retried;
    }
    const { existing } = this.#dependencies;
    const update = (records: RecordList, send: Send) => this.#update(records, send);
    this.#items.push(...(await resolveExisting([...settled, ...items], existing, update)));
    return 'accepted';
  }

  async #resend(batch: RecordList): Promise<readonly RecordResult[] | undefined> {
    const outcome = await this.#sendRequest(batch, 'part');
    switch (outcome?.kind) {
      case 'confirmed':
        return [];
      case 'answered':
        return this.#settleExisting(
          parseItemResults(batch, outcome.response, this.#dependencies.reported).items,
        );
      case 'answered_together':
        return parseSharedResult(batch, outcome.response, this.#dependencies.reported).items;
      case 'unknown':
        return resultsFor(batch, 'unknown', detailsOf(outcome.error));
      default:
        return undefined;
    }
  }

  async #settleExisting(items: readonly RecordResult[]): Promise<readonly RecordResult[]> {
    return this.#mayBeApplied ? settleExisting(items, this.#dependencies.lookUp) : items;
  }

  async #update(records: RecordList, send: Send): Promise<readonly RecordResult[]> {
    const result = await sendBatch(
      { records, isResend: false },
      { ...this.#dependencies, send, reported: 'all', lookUp: undefined, existing: undefined },
    );
    this.#requests += result.requests;
    this.#retries += result.retries;
    this.#unexpectedIds.push(...result.unexpectedIds);
    this.#fatal ??= result.fatal;
    this.#unanswered ??= result.unanswered;
    return result.items;
  }

  #finishAll(batch: RecordList, status: RecordStatus, details: ResultDetails): Progression {
    this.#items.push(...resultsFor(batch, status, details));
    return 'undecided';
  }
}

const ALL_SUCCEEDED: ParsedResponse = { items: [], unexpectedIds: [] };
type ResultDetails = Pick<RecordResult, 'message' | 'code' | 'open'>;
const NOT_SENT: ResultDetails = { message: 'not sent: the job stopped', code: 'not_sent' };

function detailsOf({ message, failure }: SvcError): ResultDetails {
  return { message, code: failure };
}

function resultsFor(
  batch: RecordList,
  status: RecordStatus,
  details: ResultDetails,
): readonly RecordResult[] {
  return batch.map((record) => ({ record, status, ...details }));
}

/** Whether a service refused a request because of its organization, whatever the records are. */
function isAboutOrganization({ message }: SvcError): boolean {
  return /^organization\b.*\b(?:not found|not exist|unknown)\b/i.test(message);
}

function isInternalError({ status, code }: RecordResult): boolean {
  return status === 'failed' && code === 'internal';
}
