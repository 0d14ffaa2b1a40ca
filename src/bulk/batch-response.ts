import type { BulkFields } from '../catalog/bulk-fields.ts';
import { type Fields, isObject } from '../kernel/json.ts';
import { redactRemembered } from '../kernel/redact.ts';
import type { BulkRecord, RecordList, RecordResult } from './batches.ts';

export type ReportedRecords = 'all' | 'exceptions';

export interface ParsedResponse {
  readonly items: readonly RecordResult[];
  /** IDs in the response that were not in the request. */
  readonly unexpectedIds: readonly string[];
}

/**
 * Parses results by ID or in the order of the request. Only a literal `true` is success. A
 * missing result, and one without `success` and `code`, is unknown.
 */
export function parseItemResults(
  batch: RecordList,
  response: unknown,
  reported: ReportedRecords,
): ParsedResponse {
  if (Array.isArray(response))
    return { items: itemsOf(batch, (_, at) => response[at], reported), unexpectedIds: [] };
  const byId: Readonly<Record<string, unknown>> = isObject(response) ? response : {};
  let mentioned = 0;
  const items = itemsOf(
    batch,
    ({ id }) => {
      if (!Object.hasOwn(byId, id)) return undefined;
      mentioned += 1;
      return byId[id];
    },
    reported,
  );
  return {
    items,
    unexpectedIds: Object.keys(byId).length > mentioned ? findUnexpectedIds(byId, batch) : [],
  };
}

/**
 * Returns the one result that a response states for all records instead of one per record, such as
 * `{success: true, message}`. Without results by ID, empty data means success for some operations.
 */
export function findSharedResult(
  batch: RecordList,
  response: unknown,
  { sharedResult, emptyDataIsSuccess }: BulkFields,
): unknown {
  if (sharedResult) return response;
  if (!isObject(response)) return undefined;
  if (emptyDataIsSuccess && Object.keys(response).length === 0) return { success: true };
  if (typeof response['success'] !== 'boolean') return undefined;
  const hasItems = Object.values(response).some(
    (value) => isObject(value) && Object.hasOwn(value, 'success'),
  );
  const mentionsRecord = batch.some(({ id }) => isObject(ownValue(response, id)));
  return hasItems || mentionsRecord ? undefined : response;
}

function ownValue(object: Fields, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function parseSharedResult(
  batch: RecordList,
  response: unknown,
  reported: ReportedRecords,
): ParsedResponse {
  return { items: itemsOf(batch, () => response, reported), unexpectedIds: [] };
}

function itemsOf(
  batch: RecordList,
  resultOf: (record: BulkRecord, at: number) => unknown,
  reported: ReportedRecords,
): readonly RecordResult[] {
  const items: RecordResult[] = [];
  for (let at = 0; at < batch.length; at += 1) {
    const record = batch[at];
    if (!record) continue;
    const result = resultOf(record, at);
    if (reported === 'all' || !isSuccess(result)) items.push(itemResult(record, result));
  }
  return items;
}

function isSuccess(result: unknown): boolean {
  return (
    typeof result === 'object' && result !== null && 'success' in result && result.success === true
  );
}

/** Results are objects: fields beside them, such as `success` and `message`, name no record. */
function findUnexpectedIds(response: Fields, batch: RecordList): readonly string[] {
  const sent = new Set(batch.map(({ id }) => id));
  return Object.keys(response).filter((id) => !sent.has(id) && isObject(response[id]));
}

/** Cache of the last redacted message, because most records of a batch get the same one. */
let last = { message: '', clean: '' };

function itemResult(record: BulkRecord, result: unknown): RecordResult {
  if (typeof result !== 'object' || result === null)
    return {
      record,
      status: 'unknown',
      message: 'the response does not mention the record',
      code: 'outcome_unknown',
    };
  const { success, message, code } = result as Readonly<Record<string, unknown>>;
  if (success === undefined && typeof code !== 'string')
    return {
      record,
      status: 'unknown',
      message: 'the response does not say whether the record was applied',
      code: 'outcome_unknown',
    };
  if (typeof message === 'string' && message !== last.message)
    last = { message, clean: redactRemembered(message) };
  return {
    record,
    status: success === true ? 'succeeded' : 'failed',
    message: typeof message === 'string' ? last.clean : null,
    code: typeof code === 'string' ? redactRemembered(code) : null,
  };
}
