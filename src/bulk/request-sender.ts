import type { BulkFields } from '../catalog/bulk-fields.ts';
import type { Operation } from '../catalog/define.ts';
import type { CalledOperation, Client } from '../client/client.ts';
import { findReportedResults } from '../client/item-results.ts';
import { isGatewayError, isRequestTooLarge, ServiceError } from '../client/service-error.ts';
import { type Clock, monotonicNow } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { BatchRequestOutcome, SendBatchRequest } from './batch-request.ts';
import { findSharedResult, type ReportedRecords } from './batch-response.ts';
import type { Batch, BulkRecord, RecordList } from './batches.ts';
import type { RecordTarget } from './record-targets.ts';

export interface BatchCalls {
  readonly client: Client;
  readonly operation: Operation;
  readonly fields: BulkFields;
  readonly data: Readonly<Record<string, unknown>>;
  /**
   * Whether the job is a single call from the command line. Its rejection is the outcome of the
   * command.
   */
  readonly single: boolean;
  readonly ifExists?: 'skip' | 'update' | undefined;
}

/**
 * Creates a function that sends a batch and converts the response to an outcome for the engine.
 * @param reported whether to parse even responses that report complete success (`all`)
 * @param toJson returns the JSON text to send for a record (default: the record's own)
 */
export function createRequestSender(
  calls: BatchCalls,
  clock: Clock,
  reported: ReportedRecords,
  toJson?: RecordToJson,
): SendBatchRequest {
  const { client, fields } = calls;
  const operation: CalledOperation = { ...calls.operation, inJob: !calls.single };
  const partialOperation = { ...operation, acceptsInternalError: true };
  const buildText = createTextBuilder(calls, toJson);
  return async (batch, kind) => {
    const started = monotonicNow(clock);
    const elapsed = () => ({ milliseconds: monotonicNow(clock) - started });
    try {
      const ids = fields.sharedResult || reported === 'all' ? undefined : batch.map(({ id }) => id);
      const outcome = await client.sendText(
        kind === 'part' ? partialOperation : operation,
        buildText(batch),
        ids,
      );
      if (!outcome.sent) throw new TypeError('a planned request has no outcome');
      const { retries, waits, waited, hadUnknownAttempt } = outcome;
      const timing = {
        ...elapsed(),
        retries,
        waits,
        waited,
        limited: waits > 0,
        failed: retries > waits,
      };
      if (outcome.confirmed) return { kind: 'confirmed', ...timing };
      // A success without data applies to all records.
      if (outcome.data === null)
        return {
          kind: 'answered_together',
          response: { success: true, message: outcome.result.message },
          ...timing,
        };
      const shared = findSharedResult(batch, outcome.data, fields);
      if (shared !== undefined) return { kind: 'answered_together', response: shared, ...timing };
      return { kind: 'answered', response: outcome.data, unsettled: hadUnknownAttempt, ...timing };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const limited = error.failure === 'resource_exhausted';
      const timing = {
        ...elapsed(),
        retries: error.retries,
        waits: 0,
        waited: 0,
        limited,
        failed: !limited,
      };
      return { ...interpretError(error, batch, calls), ...timing };
    }
  };
}

export async function planRequests(
  calls: BatchCalls,
  batches: AsyncIterable<Batch>,
): Promise<void> {
  const buildText = createTextBuilder(calls);
  for await (const { records } of batches)
    await calls.client.sendText(calls.operation, buildText(records));
}

function createTextBuilder(
  { data, fields: { field } }: BatchCalls,
  toJson: RecordToJson = ({ json }) => json,
): (batch: RecordList) => string {
  if (field === undefined) return ([record]) => record?.json ?? '{}';
  const openingFor = (target?: RecordTarget) => {
    const shared = JSON.stringify({ ...data, ...target?.data }).slice(1, -1);
    return `{${shared}${shared && ','}${JSON.stringify(field)}:[`;
  };
  const opening = openingFor();
  return (batch) => {
    const target = batch[0]?.target;
    return `${target ? openingFor(target) : opening}${batch.map(toJson).join(',')}]}`;
  };
}

type RecordToJson = (record: BulkRecord) => string;

type UnmeasuredOutcome<Outcome = BatchRequestOutcome> = Outcome extends BatchRequestOutcome
  ? Omit<Outcome, 'milliseconds' | 'retries' | 'waits' | 'waited' | 'limited' | 'failed'>
  : never;

function interpretError(
  error: SvcError,
  batch: RecordList,
  { single, operation, fields, ifExists }: BatchCalls,
): UnmeasuredOutcome {
  if (error instanceof ServiceError && hasRecordResults(error, batch))
    return { kind: 'answered', response: error.details };
  const isTooLarge = isRequestTooLarge(error);
  if (isTooLarge && (batch.length > 1 || (!single && error.failure !== 'outcome_unknown')))
    return {
      kind: 'refused',
      error: new SvcError('invalid_argument', error.message),
      tooLarge: true,
      unsettled: error.failure === 'outcome_unknown',
    };
  switch (error.failure) {
    case 'outcome_unknown': {
      const isInternal = error instanceof ServiceError && error.status === 'INTERNAL';
      return {
        kind: 'unknown',
        error,
        by: isInternal ? 'service' : isGatewayError(error) ? 'proxy' : 'connection',
        // Would be too large again.
        resend:
          isTooLarge && RESEND_RULES[operation.effect] === 'now'
            ? 'resumed'
            : RESEND_RULES[operation.effect],
      };
    }
    case 'invalid_argument':
    case 'already_exists':
      if (ifExists && error.failure === 'already_exists') {
        if (batch.length > 1) return { kind: 'refused', error };
        return {
          kind: 'answered',
          response: [{ success: false, message: error.message, code: 'already-exists' }],
        };
      }
      return single
        ? { kind: 'fatal', error }
        : { kind: 'refused', error, invalidRecords: groupIssues(error, batch, fields) };
    case 'not_found':
      if (batch[0]?.target)
        return {
          kind: 'refused',
          error,
          invalidRecords: new Map(batch.map((_, at) => [at, error.message])),
        };
      // If each record is a separate call, the targets of other records may exist.
      return { kind: single || fields.field !== undefined ? 'fatal' : 'refused', error };
    default:
      return { kind: 'fatal', error };
  }
}

/**
 * When to send a batch with an unknown outcome again, by effect. Updates wait until the job is
 * resumed.
 */
const RESEND_RULES = {
  read: 'now',
  keyed: 'now',
  delete: 'now',
  set: 'resumed',
  once: 'never',
} as const;

/** Whether an error's `details` are results per record: a list, or an object by ID. */
function hasRecordResults({ failure, details }: ServiceError, batch: RecordList): boolean {
  const results = failure === 'invalid_argument' ? undefined : findReportedResults(details);
  if (!results) return false;
  return Array.isArray(results)
    ? results.length === batch.length
    : batch.some(({ id }) => Object.hasOwn(results, id));
}

/**
 * Groups the problems in an error's `details.issues` by the record's index in paths such as
 * `users.3.email`.
 */
function groupIssues(
  error: SvcError,
  batch: RecordList,
  { field }: BulkFields,
): ReadonlyMap<number, string> {
  const problems = new Map<number, string>();
  if (field === undefined) return problems;
  for (const issue of issuesOf(error)) {
    const path = isObject(issue) && Array.isArray(issue['path']) ? issue['path'] : [];
    const index = Number(path[path.indexOf(field) + 1] ?? Number.NaN);
    if (!path.includes(field) || !Number.isInteger(index) || index < 0 || index >= batch.length)
      continue;
    const message =
      isObject(issue) && typeof issue['message'] === 'string' ? issue['message'] : error.message;
    const fieldPath = path.slice(path.indexOf(field) + 2).join('.');
    const text = fieldPath ? `${fieldPath}: ${message}` : message;
    problems.set(index, problems.has(index) ? `${problems.get(index)}; ${text}` : text);
  }
  return problems;
}

function issuesOf(error: SvcError): readonly unknown[] {
  const details = error instanceof ServiceError ? error.details : undefined;
  const issues = isObject(details) ? details['issues'] : details;
  return Array.isArray(issues) ? issues : [];
}
