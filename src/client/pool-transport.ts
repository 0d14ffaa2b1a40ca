import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { muteWarnings } from '../kernel/process.ts';
import type { NetworkProxy } from './proxy.ts';
import { ResponseBody } from './response-body.ts';
import { withTimeLimit } from './time-limit.ts';
import {
  type ClosableTransport,
  CONNECT_TIMEOUT,
  NotConnectedError,
  readResponseHead,
  type Transport,
  type TransportOptions,
  type WireResponse,
} from './transport.ts';

export interface PoolOptions extends TransportOptions {
  readonly baseUrl: string;
  readonly proxy?: NetworkProxy;
}

const MAX_CONNECTIONS = 32;

/** Creates a transport over persistent connections to one origin. Does not request compression. */
export function createPoolTransport(options: PoolOptions): ClosableTransport {
  const { origin } = new URL(options.baseUrl);
  const dispatcher = openDispatcher(origin, options);
  const transport: Transport = ({ url, headers, credentials, body }, outer) =>
    withTimeLimit(
      options.attemptTimeout,
      outer,
      (signal) =>
        new Promise((resolve, reject) => {
          const request = { origin, path: url.slice(origin.length), method: 'POST', body } as const;
          const handler = createResponseHandler(signal, resolve, reject);
          dispatcher.dispatch({ ...request, headers: { ...headers, ...credentials } }, handler);
        }),
    );
  return { transport, close: () => dispatcher.destroy() };
}

function openDispatcher(
  origin: string,
  { tls, proxy, clientCertificate }: PoolOptions,
): Dispatcher {
  const limits = {
    connections: MAX_CONNECTIONS,
    // Without pipelining, a slow response does not delay other requests.
    pipelining: 1,
    allowH2: false,
    // `withTimeLimit` limits the whole attempt instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const serviceTls = { ...tls, ...clientCertificate };
  if (!proxy)
    return new Pool(origin, { ...limits, connect: { timeout: CONNECT_TIMEOUT, ...serviceTls } });
  const { href: uri, protocol } = proxy.address;
  if (protocol === 'socks5:') muteWarnings((text) => text.startsWith('SOCKS5'));
  return new ProxyAgent({
    ...limits,
    uri,
    connectTimeout: CONNECT_TIMEOUT,
    requestTls: serviceTls,
    ...(protocol === 'https:' && { proxyTls: { ...tls } }),
  });
}

function createResponseHandler(
  signal: AbortSignal,
  resolve: (response: Promise<WireResponse>) => void,
  reject: (reason: unknown) => void,
): Dispatcher.DispatchHandler {
  let hasConnection = false;
  let head = readResponseHead(0, () => undefined);
  let body = new ResponseBody();
  const end = () => resolve(Promise.resolve(body.text()).then((text) => ({ ...head, body: text })));
  return {
    onRequestStart(controller) {
      hasConnection = true;
      const abort = () =>
        controller.abort(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
    },
    onResponseStart(_, httpStatus, headers) {
      head = readResponseHead(httpStatus, (name) => headers[name]);
      body = new ResponseBody([headers['content-encoding']].flat()[0]);
    },
    onResponseData(controller, chunk) {
      if (body.add(chunk)) return;
      end();
      controller.abort(new Error('the response is too large'));
    },
    onResponseEnd: end,
    onResponseError: (_, error) => reject(hasConnection ? error : new NotConnectedError(error)),
  };
}
