import type * as z from 'zod';
import type { Operation } from '../catalog/define.ts';
import { maskSecret, redactText, redactValue } from '../kernel/redact.ts';
import { redactUrls } from '../kernel/redact-urls.ts';
import type { PlannedRequest } from './call-event.ts';
import { credentialHeaders } from './credentials.ts';
import type { Target } from './target.ts';

/** What a call reads of its operation. */
export interface CalledOperation
  extends Pick<Operation, 'auth' | 'effect' | 'revealsSecrets' | 'feature' | 'lookup' | 'splitIds'> {
  readonly path: string;
  readonly oneById?: string | undefined;
  /** What calls it from a command line, where there is such a command. */
  readonly command?: readonly string[];
  /** Where there is none, any JSON is an answer. */
  readonly output?: z.ZodType;
  readonly bulk?: { readonly field?: string } | undefined;
  /** An INTERNAL answer is taken as it is, because its cause is being narrowed down. */
  readonly takesInternal?: boolean;
}

/** A request, ready to be sent as often as its effect allows. */
export interface WireRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
  /** Worked out when read, where only its text was given. */
  readonly envelope: { readonly data: unknown };
  /** The envelope as JSON text. */
  readonly body: string;
  /** The ids of a batch: the usual answer says of each that it succeeded. */
  readonly expected?: readonly string[] | undefined;
}

const HEADERS = { accept: 'application/json', 'content-type': 'application/json' };

export function wireRequest(target: Target, baseUrl: string, operation: CalledOperation, data: unknown): WireRequest {
  const envelope = { data };
  return {
    url: baseUrl + operation.path,
    headers: HEADERS,
    credentials: credentialHeaders(target, operation.auth),
    envelope,
    body: JSON.stringify(envelope),
  };
}

/** A request whose data is JSON text already, which is sent as it is. */
export function textRequest(
  target: Target,
  baseUrl: string,
  operation: CalledOperation,
  dataText: string,
  expected?: readonly string[],
): WireRequest {
  const body = `{"data":${dataText}}`;
  return {
    url: baseUrl + operation.path,
    headers: HEADERS,
    credentials: credentialHeaders(target, operation.auth),
    get envelope() {
      return JSON.parse(body);
    },
    body,
    expected,
  };
}

/** The request for people to read: its credentials masked, and the given secrets wherever else they stand, URLs included. */
export function plannedRequest(request: WireRequest, secrets: Iterable<string>): PlannedRequest {
  const masked = Object.entries(request.credentials).map(([name, value]) => [name, maskSecret(value)]);
  return {
    method: 'POST',
    url: redactUrls(redactText(request.url, secrets)),
    headers: { ...request.headers, ...Object.fromEntries(masked) },
    body: redactValue(request.envelope, secrets, redactUrls),
  };
}
