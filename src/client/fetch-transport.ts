import ky from 'ky';
import type { WireRequest } from './request.ts';
import { ResponseBody } from './response-body.ts';
import { withTimeLimit } from './time-limit.ts';
import { readResponseHead, type Transport, type WireResponse } from './transport.ts';

/** @param attemptTimeout in milliseconds */
export function createFetchTransport(
  fetch: typeof globalThis.fetch,
  attemptTimeout: number,
): Transport {
  const send = async (
    { url, headers, credentials, body }: WireRequest,
    signal: AbortSignal,
  ): Promise<WireResponse> => {
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
    const responseBody = new ResponseBody();
    if (response.body) await responseBody.read(response.body);
    return {
      ...readResponseHead(response.status, (name) => response.headers.get(name)),
      body: await responseBody.text(),
    };
  };
  return (request, signal) =>
    withTimeLimit(attemptTimeout, signal, (limited) => send(request, limited));
}
