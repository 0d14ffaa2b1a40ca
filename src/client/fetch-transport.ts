import ky from 'ky';
import { AnswerBody } from './answer-body.ts';
import type { WireRequest } from './request.ts';
import { withTimeLimit } from './time-limit.ts';
import { replyHead, type Transport, type WireReply } from './transport.ts';

/**
 * Sends by a fetch: to an embedded service in this process, or however a program wants its requests sent. An attempt may
 * take so many milliseconds.
 */
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
    const answer = new AnswerBody();
    if (response.body) await answer.read(response.body);
    return { ...replyHead(response.status, (name) => response.headers.get(name)), answer: await answer.text() };
  };
}
