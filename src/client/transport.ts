import ky from 'ky';
import { type AnswerText, readAnswerText } from './answer-body.ts';
import type { WireRequest } from './request.ts';

/** What came back over the wire, whatever it is. */
export interface WireReply {
  readonly httpStatus: number;
  readonly retryAfter: string | undefined;
  readonly location: string | undefined;
  readonly answer: AnswerText;
}

/** Sends a request once. Rejects when no complete reply came; follows no redirect, so credentials stay with their host. */
export type Transport = (request: WireRequest, signal: AbortSignal) => Promise<WireReply>;

export function kyTransport(fetch: typeof globalThis.fetch): Transport {
  return async ({ url, headers, credentials, body }, signal) => {
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
