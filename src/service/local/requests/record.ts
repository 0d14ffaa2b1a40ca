import { CREDENTIAL_HEADERS, DEFAULT_HEADER_PREFIX } from '../../../catalog/headers.ts';
import type { RequestDetail, RequestRecord } from '../../../catalog/local/request-record.ts';
import { mapInner, tryParseJson } from '../../../kernel/json.ts';
import { once } from '../../../kernel/once.ts';
import { findJsonSecrets, isSecretName, maskSecret, redactValue } from '../../../kernel/redact.ts';
import { redactUrls } from '../../../kernel/redact-urls.ts';
import type { HandledCall } from './call-log.ts';

/**
 * Returns a function that creates the log record of a request once. It keeps only the facts of the
 * call: its bodies would stay in memory.
 * @param ended end of the request, in milliseconds since the epoch
 */
export function createRecordLater(
  id: number,
  call: HandledCall,
  ended: number,
): () => RequestRecord {
  const { method, target, operation, org, status, error, milliseconds, records, failed, fault } =
    call;
  return once(() => ({
    id,
    time: new Date(ended - milliseconds).toISOString(),
    method,
    path: pathOf(target),
    operation: operation ?? null,
    org: org ?? null,
    status: status ?? null,
    error: error ?? null,
    ms: Math.round(milliseconds * 10) / 10,
    records: records ?? null,
    failed,
    fault: fault ?? null,
  }));
}

function pathOf(target: string): string {
  return redactUrls(target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, ''));
}

/** Maximum length of a body to keep, in characters. */
const MAX_BODY = 32 * 1024;
const SECRET_HEADERS = ['authToken', 'workspaceAuthToken'] as const;

/**
 * Parses the bodies of a request, and masks its secrets wherever and in whichever encoding they
 * occur.
 */
export function redactBodies(call: HandledCall): Pick<RequestDetail, 'request' | 'response'> {
  const texts = [call.requestBody(), call.responseBody].map((text) =>
    text.length <= MAX_BODY ? text : '',
  );
  const header = (name: string) => call.header(name)?.replace(/^bearer\s+/i, '');
  const headers = [
    'authorization',
    ...SECRET_HEADERS.map((name) => DEFAULT_HEADER_PREFIX + CREDENTIAL_HEADERS[name]),
  ];
  const secrets = new Set([
    ...headers.flatMap((name) => header(name) ?? []),
    ...texts.flatMap(findJsonSecrets),
  ]);
  const [request, response] = texts.map((text) => {
    const value = tryParseJson(text);
    return value === undefined ? null : redactValue(maskSecretFields(value), secrets, redactUrls);
  });
  return { request, response };
}

/** Masks all strings in fields with names of secrets, in any naming style. */
function maskSecretFields(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret ? maskSecret(value) : value;
  return mapInner(value, (inner, key) => maskSecretFields(inner, isSecret || isSecretName(key)));
}

export function withoutBodies({
  request: _,
  response: __,
  ...record
}: RequestDetail): RequestRecord {
  return record;
}
