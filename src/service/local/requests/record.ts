import { CREDENTIAL_HEADERS, DEFAULT_HEADER_PREFIX } from '../../../catalog/headers.ts';
import type { RequestDetail, RequestRecord } from '../../../catalog/local/answers.ts';
import { mapInner, tryParseJson } from '../../../kernel/json.ts';
import { findJsonSecrets, isSecretName, maskSecret, redactValue } from '../../../kernel/redact.ts';
import { redactUrls } from '../../../kernel/redact-urls.ts';
import type { HandledCall } from './call-log.ts';

/** @param ended end of the request, in milliseconds since the epoch */
export function createRecord(id: number, call: HandledCall, ended: number): RequestRecord {
  return {
    id,
    time: new Date(ended - call.milliseconds).toISOString(),
    method: call.method,
    path: pathOf(call.target),
    operation: call.operation ?? null,
    org: call.org ?? null,
    status: call.status ?? null,
    error: call.error ?? null,
    ms: Math.round(call.milliseconds * 10) / 10,
    records: call.records ?? null,
    failed: call.failed,
    fault: call.fault ?? null,
  };
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
