import type { Auth } from '../../catalog/define.ts';
import {
  findItemResults,
  findReportedResults,
  type ItemResults,
} from '../../client/item-results.ts';
import { type Failure, SvcError } from '../../kernel/errors.ts';
import { type Fields, isObject } from '../../kernel/json.ts';
import { redactRemembered } from '../../kernel/redact.ts';

interface FailedCall {
  readonly path: string;
  readonly auth: Auth | undefined;
  readonly isKnown: boolean;
  readonly isWrite: boolean;
}

/**
 * Returns the error of a successful response to a write that reports failed items, or a failure of
 * the whole call.
 */
export function findReportedFailure(data: unknown): SvcError | undefined {
  const results = findLists(data, findItemResults);
  if (results) return createItemsError(results);
  if (!isObject(data) || data['success'] !== false) return undefined;
  const { message } = data;
  return new SvcError(
    'records_failed',
    typeof message === 'string' && message !== ''
      ? `the service did not apply the call: ${redactRemembered(message)}`
      : 'the service did not apply the call, and gave no reason',
  );
}

/**
 * Explains the error of a raw call: a write whose `details` report results counts as finished, and
 * a path of the workspace may need other credentials.
 */
export function explainFailure(thrown: unknown, call: FailedCall): unknown {
  if (!(thrown instanceof SvcError)) return thrown;
  const isRejected = thrown.failure === 'invalid_argument';
  const results =
    call.isWrite && !isRejected ? findLists(thrown.details, findReportedResults) : undefined;
  if (results) return createDetailsError(thrown, results);
  return needsWorkspace(thrown, call)
    ? thrown.reworded({
        hint: `if ${call.path} is an operation of the workspace, add --auth workspace`,
      })
    : thrown;
}

/** Finds results of items in a value, or in its fields, whose names then precede those of the items. */
function findLists(
  value: unknown,
  find: (list: unknown) => ItemResults | undefined,
): ItemResults | undefined {
  const results = find(value);
  if (results || !isObject(value)) return results;
  const entries = Object.entries(value).flatMap(([name, list]) =>
    Object.entries(find(list) ?? {}).map(([key, item]) => [`${name}.${key}`, item] as const),
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

function createDetailsError(error: SvcError, results: ItemResults): SvcError {
  const { status, details } = error;
  const message = error.message.replace(/[.:]$/, '');
  const detail = { details, cause: error, ...(status && { status }) };
  const isSilent = (item: Fields) =>
    typeof item['success'] !== 'boolean' && typeof item['code'] !== 'string';
  if (Object.values(results).some(isSilent))
    return new SvcError('outcome_unknown', `${message} (the details leave some results open)`, {
      ...detail,
      hint: 'read the records without a result before you send them again',
    });
  const items = createItemsError(results);
  return items
    ? new SvcError('records_failed', `${message}: ${items.message}`, {
        ...detail,
        hint: ITEMS_HINT,
      })
    : new SvcError('records_failed', `${message} (the details report success for every record)`, {
        ...detail,
        hint: 'the records were written; read them before you send them again',
      });
}

const ITEMS_HINT = 'fix the failed records, then send only those again';
const MAX_NAMED = 3;

function createItemsError(results: ItemResults): SvcError | undefined {
  const entries = Object.entries(results);
  const failed = entries.filter(([, { success }]) => success !== true);
  if (failed.length === 0) return undefined;
  const isList = Array.isArray(results);
  const named = failed.slice(0, MAX_NAMED).map(([key, { message, code }]) => {
    const reason = [message, code].find((text) => typeof text === 'string' && text !== '');
    const name = isList ? `record ${Number(key) + 1}` : key;
    return redactRemembered(reason === undefined ? name : `${name}: ${String(reason)}`);
  });
  const more = failed.length > MAX_NAMED ? `; and ${failed.length - MAX_NAMED} more` : '';
  const count = `${failed.length} of ${entries.length} ${entries.length === 1 ? 'record' : 'records'}`;
  return new SvcError('records_failed', `${count} failed: ${named.join('; ')}${more}`, {
    hint: ITEMS_HINT,
  });
}

const CREDENTIAL_FAILURES: readonly Failure[] = [
  'no_credential',
  'unauthenticated',
  'permission_denied',
];

/** Whether a call without `--auth` sent an API key to a path that may need the workspace's. */
function needsWorkspace({ failure, hint, message }: SvcError, call: FailedCall): boolean {
  if (call.auth !== undefined || call.isKnown || !/^\/v\d+\/workspace(?:\/|$)/.test(call.path))
    return false;
  return (
    CREDENTIAL_FAILURES.includes(failure) ||
    hint === undefined ||
    /\b(?:headers?|workspace (?:id|auth))\b/i.test(message)
  );
}
