import { yieldToEvents } from '../kernel/run-in-slices.ts';
import type { WireRequest } from './request.ts';
import { ResponseBody } from './response-body.ts';
import { withTimeLimit } from './time-limit.ts';
import { readResponseHead, type Transport, type WireResponse } from './transport.ts';

/** Calls a service in this process. Header names are in lower case. */
type Post = (
  url: string,
  headers: ReadonlyMap<string, string>,
  body: string,
) => Promise<{
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}>;

/**
 * Creates a transport to a service in this process. Does not use `fetch`, which takes longer to
 * load than most calls take.
 * @param attemptTimeout in milliseconds
 */
export function createDirectTransport(post: Post, attemptTimeout: number): Transport {
  const send = async (
    { url, headers, credentials, body }: WireRequest,
    signal: AbortSignal,
  ): Promise<WireResponse> => {
    // SQLite calls never yield to the event loop, so signals and timers run between calls.
    await yieldToEvents(signal);
    const entries = Object.entries({ ...headers, ...credentials });
    const response = await post(
      url,
      new Map(entries.map(([name, value]) => [name.toLowerCase(), value.trim()])),
      body,
    );
    const responseBody = new ResponseBody();
    responseBody.add(Buffer.from(response.body));
    return {
      ...readResponseHead(response.status, (name) => response.headers?.[name]),
      body: await responseBody.text(),
    };
  };
  return (request, signal) =>
    withTimeLimit(attemptTimeout, signal, (limited) => send(request, limited));
}
