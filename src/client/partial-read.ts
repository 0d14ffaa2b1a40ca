import type { SplitIds } from '../catalog/define.ts';
import { type Fields, isObject } from '../kernel/json.ts';
import type { CallOutcome, CallResult } from './client-types.ts';
import type { CalledOperation } from './request.ts';
import { ServiceError } from './service-error.ts';

type Results = Map<string, unknown>;
const STATUS_FIELDS = ['success', 'message', 'code'];

/**
 * Recovers the records of a failed read by IDs from the error's `details`: a service may fail the
 * whole call because of one ID. The result contains the records that exist, as in a successful
 * call. One more request fetches the records of results without fields, and retries the IDs that
 * failed with an internal error.
 * @throws the error if its details are not results, or if an ID still fails for a reason other than
 * "not found"
 */
export async function recoverPartialRead(
  thrown: unknown,
  { splitIds }: CalledOperation,
  data: unknown,
  send: (data: Fields) => Promise<CallOutcome<unknown>>,
): Promise<CallResult<unknown>> {
  const ids = splitIds && isObject(data) ? data[splitIds.field] : undefined;
  const results = Array.isArray(ids) ? findResults(thrown, ids) : undefined;
  if (!splitIds || !results || !isObject(data)) throw thrown;
  const incomplete = [...results].filter(
    ([, result]) => hasCode(result, 'internal') || hasNoFields(result, splitIds),
  );
  const sendPart = (part: readonly string[]) => send({ ...data, [splitIds.field]: part });
  if (incomplete.length > 0)
    await retryIds([...new Map(incomplete).keys()], results, splitIds, sendPart);
  const existing = [...results].filter(([, result]) => !hasCode(result, 'not-found'));
  if (existing.some(([, result]) => hasFailed(result))) throw thrown;
  const records = existing.map(([id, result]) => recordOf(id, result as Fields, splitIds));
  const { retries } = thrown as ServiceError;
  const stats = { retries, waits: 0, waited: 0, hadUnknownAttempt: false };
  return { sent: true, confirmed: false, data: records, result: { data: records }, ...stats };
}

function findResults(thrown: unknown, ids: readonly string[]): Results | undefined {
  if (!(thrown instanceof ServiceError) || thrown.failure === 'invalid_argument') return undefined;
  const { details } = thrown;
  if (Array.isArray(details))
    return details.length === ids.length
      ? new Map(ids.map((id, at) => [id, details[at]]))
      : undefined;
  if (!isObject(details) || !ids.some((id) => Object.hasOwn(details, id))) return undefined;
  return new Map(ids.map((id) => [id, Object.hasOwn(details, id) ? details[id] : undefined]));
}

async function retryIds(
  ids: readonly string[],
  results: Results,
  { recordId }: SplitIds,
  send: (ids: readonly string[]) => Promise<CallOutcome<unknown>>,
): Promise<void> {
  try {
    const outcome = await send(ids);
    if (!outcome.sent || !Array.isArray(outcome.data)) return;
    for (const id of ids) if (hasCode(results.get(id), 'internal')) results.delete(id);
    for (const record of outcome.data.filter(isObject))
      results.set(String(record[recordId]), record);
  } catch (error) {
    for (const [id, result] of findResults(error, ids) ?? []) results.set(id, result);
  }
}

function recordOf(id: string, result: Fields, { recordId }: SplitIds): Fields {
  const fields = Object.entries(result).filter(([name]) => !STATUS_FIELDS.includes(name));
  return { ...Object.fromEntries(fields), [recordId]: id };
}

function hasFailed(result: unknown): boolean {
  return !isObject(result) || result['success'] === false || typeof result['code'] === 'string';
}

function hasCode(result: unknown, code: 'not-found' | 'internal'): boolean {
  return isObject(result) && result['code'] === code;
}

function hasNoFields(result: unknown, { recordId }: SplitIds): boolean {
  if (!isObject(result) || hasFailed(result)) return false;
  return Object.keys(result).every((name) => name === recordId || STATUS_FIELDS.includes(name));
}
