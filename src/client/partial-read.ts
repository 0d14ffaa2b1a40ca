import type { SplitIds } from '../catalog/define.ts';
import { isObject } from '../kernel/is-object.ts';
import type { Answer, Reply } from './interface.ts';
import type { CalledOperation } from './request.ts';
import { ServiceError } from './service-error.ts';

type Fields = Readonly<Record<string, unknown>>;
/** The result of each ID, as the service sent it. */
type Results = Map<string, unknown>;

/** Fields of a result that say how the lookup of one ID went, and are not part of its record. */
const VERDICT = ['success', 'message', 'code'];

/**
 * Reads the results that a failed read by IDs carries in its `details`: a service may fail the whole call because of one
 * ID. Records that were found are the data; IDs that do not exist are left out, as in a call that succeeds. One more
 * request gets the records of results without fields, and the IDs that failed inside the service.
 * @throws the error where its details are no results, or where an ID still fails for another reason than not being found
 */
export async function settleByDetails(
  thrown: unknown,
  { splitIds }: CalledOperation,
  data: unknown,
  ask: (data: Fields) => Promise<Reply<unknown>>,
): Promise<Answer<unknown>> {
  const ids = splitIds && isObject(data) ? data[splitIds.field] : undefined;
  const results = Array.isArray(ids) ? resultsIn(thrown, ids) : undefined;
  if (!splitIds || !results || !isObject(data)) throw thrown;
  const again = [...results].filter(([, result]) => isInternal(result) || isBare(result, splitIds)).map(([id]) => id);
  if (again.length > 0) await askAgain(again, results, splitIds, (part) => ask({ ...data, [splitIds.field]: part }));
  const found = [...results].filter(([, result]) => !isMissing(result));
  if (found.some(([, result]) => hasFailed(result))) throw thrown;
  const records = found.map(([id, result]) => recordOf(id, result as Fields, splitIds));
  const { retries } = thrown as ServiceError;
  const effort = { retries, waits: 0, waited: 0, unsettled: false };
  return { sent: true, confirmed: false, data: records, result: { data: records }, ...effort };
}

/** A list in the order of the request, or a map by ID. */
function resultsIn(thrown: unknown, ids: readonly string[]): Results | undefined {
  if (!(thrown instanceof ServiceError) || thrown.failure === 'invalid_argument') return undefined;
  const { details } = thrown;
  if (Array.isArray(details)) {
    return details.length === ids.length ? new Map(ids.map((id, at) => [id, details[at]])) : undefined;
  }
  if (!isObject(details) || !ids.some((id) => Object.hasOwn(details, id))) return undefined;
  return new Map(ids.map((id) => [id, Object.hasOwn(details, id) ? details[id] : undefined]));
}

/** Replaces results by those of another request. Where that brings none, the results stay as they are. */
async function askAgain(
  ids: readonly string[],
  results: Results,
  { recordId }: SplitIds,
  ask: (ids: readonly string[]) => Promise<Reply<unknown>>,
): Promise<void> {
  try {
    const reply = await ask(ids);
    if (!reply.sent || !Array.isArray(reply.data)) return;
    for (const id of ids) if (isInternal(results.get(id))) results.delete(id);
    for (const record of reply.data.filter(isObject)) results.set(String(record[recordId]), record);
  } catch (error) {
    for (const [id, result] of resultsIn(error, ids) ?? []) results.set(id, result);
  }
}

function recordOf(id: string, result: Fields, { recordId }: SplitIds): Fields {
  const fields = Object.entries(result).filter(([name]) => !VERDICT.includes(name));
  return { ...Object.fromEntries(fields), [recordId]: id };
}

function hasFailed(result: unknown): boolean {
  return !isObject(result) || result['success'] === false || typeof result['code'] === 'string';
}

function isMissing(result: unknown): boolean {
  return isObject(result) && hasFailed(result) && result['code'] === 'not-found';
}

function isInternal(result: unknown): boolean {
  return isObject(result) && hasFailed(result) && result['code'] === 'internal';
}

/** A result that says that the record exists, and nothing of what is in it. */
function isBare(result: unknown, { recordId }: SplitIds): boolean {
  if (!isObject(result) || hasFailed(result)) return false;
  return Object.keys(result).every((name) => name === recordId || VERDICT.includes(name));
}
