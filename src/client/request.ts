import type * as z from 'zod/mini';
import type { Operation } from '../catalog/define.ts';
import { maskSecret, redactText, redactValue } from '../kernel/redact.ts';
import { redactUrls } from '../kernel/redact-urls.ts';
import { version } from '../kernel/version.ts';
import type { PlannedRequest } from './call-event.ts';
import { createCredentialHeaders } from './credentials.ts';
import type { Target } from './target.ts';
import type { CallSpan } from './tracer.ts';

export interface CalledOperation
  extends Pick<
    Operation,
    'auth' | 'effect' | 'revealsSecrets' | 'issuesCredential' | 'feature' | 'lookup' | 'splitIds'
  > {
  readonly path: string;
  readonly singleRecordId?: string | undefined;
  readonly command?: readonly string[];
  /** The schema of the response data; if absent, any JSON is valid. */
  readonly output?: z.ZodMiniType;
  /** Whether the request belongs to a job, which waits longer for a proxy to reach the service. */
  readonly inJob?: boolean;
  readonly bulk?: { readonly field?: string } | undefined;
  /** Whether to return an INTERNAL error without a retry, because the caller isolates its cause. */
  readonly acceptsInternalError?: boolean;
}

export interface WireRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
  readonly body: string;
  readonly expectedIds?: readonly string[] | undefined;
  readonly span?: CallSpan | undefined;
}

const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/json',
  'user-agent': `svc/${version}`,
};

/** @param body `{"data":…}` as JSON */
export function createWireRequest(
  target: Target,
  baseUrl: string,
  operation: CalledOperation,
  body: string,
  expectedIds?: readonly string[],
): WireRequest {
  const credentials = createCredentialHeaders(target, operation.auth);
  return { url: baseUrl + operation.path, headers: HEADERS, credentials, body, expectedIds };
}

/**
 * Creates the display form of a request: masks its credentials, and redacts the given secrets
 * everywhere.
 */
export function createPlannedRequest(
  request: WireRequest,
  secrets: Iterable<string>,
): PlannedRequest {
  const masked = Object.entries(request.credentials).map(([name, value]) => [
    name,
    maskSecret(value),
  ]);
  return {
    method: 'POST',
    url: redactUrls(redactText(request.url, secrets)),
    headers: { ...request.headers, ...Object.fromEntries(masked) },
    body: redactValue(JSON.parse(request.body), secrets, redactUrls),
  };
}
