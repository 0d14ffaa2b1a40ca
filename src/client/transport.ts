import ky from 'ky';
import { type AnswerText, readAnswerText } from './answer-body.ts';
import type { WireRequest } from './request.ts';
import { withTimeLimit } from './time-limit.ts';

/** What came back over the wire, whatever it is. */
export interface WireReply {
  readonly httpStatus: number;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  readonly answer: AnswerText;
}

/**
 * Sends a request once; follows no redirect, so credentials stay with their host. Rejects when no complete reply came:
 * with an AttemptTimeout where it took too long, with the signal's reason where that aborted.
 */
export type Transport = (request: WireRequest, signal: AbortSignal | undefined) => Promise<WireReply>;

/** Sends by a fetch; an attempt may take so many milliseconds. */
export function fetchTransport(fetch: typeof globalThis.fetch, attemptTimeout: number): Transport {
  const send = kyTransport(fetch);
  return (request, signal) => withTimeLimit(attemptTimeout, signal, (limited) => send(request, limited));
}

function kyTransport(fetch: typeof globalThis.fetch) {
  return async ({ url, headers, credentials, body }: WireRequest, signal: AbortSignal): Promise<WireReply> => {
    const response = await ky.post(url, {
      headers: { ...headers, ...credentials },
      body,
      signal,
      fetch,
      redirect: 'manual',
      retry: 0,
      throwHttpErrors: false,
      timeout: false,
    });
    return {
      httpStatus: response.status,
      retryAfter: response.headers.get('retry-after') ?? undefined,
      location: response.headers.get('location') ?? undefined,
      answer: await readAnswerText(response),
    };
  };
}
