import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { muteWarnings } from '../kernel/process.ts';
import { Deadlines } from './deadlines.ts';
import type { NetworkProxy } from './proxy.ts';
import { type BodyText, ResponseBody } from './response-body.ts';
import { AttemptTimeoutError } from './time-limit.ts';
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
  const { attemptTimeout } = options;
  const { origin } = new URL(options.baseUrl);
  const dispatcher = openDispatcher(origin, options);
  const deadlines = new Deadlines<Exchange>(attemptTimeout, (exchange) =>
    exchange.abort(new AttemptTimeoutError(attemptTimeout)),
  );
  const transport: Transport = ({ url, headers, credentials, body }, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = () => exchange.abort(signal?.reason);
      const exchange = new Exchange(resolve, reject, () => {
        deadlines.delete(exchange);
        signal?.removeEventListener('abort', stop);
      });
      signal?.addEventListener('abort', stop, { once: true });
      deadlines.add(exchange);
      const path = url.slice(origin.length);
      dispatcher.dispatch({ origin, path, method: 'POST', headers: { ...headers, ...credentials }, body }, exchange);
    });
  return { transport, close: () => dispatcher.destroy() };
}

function openDispatcher(origin: string, { tls, proxy }: PoolOptions): Dispatcher {
  const limits = {
    connections: MAX_CONNECTIONS,
    // Without pipelining, a slow response does not delay other requests.
    pipelining: 1,
    allowH2: false,
    // `Deadlines` limits the whole attempt instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (!proxy) return new Pool(origin, { ...limits, connect: { timeout: CONNECT_TIMEOUT, ...tls } });
  const { href: uri, protocol } = proxy.address;
  if (protocol === 'socks5:') muteWarnings((text) => text.startsWith('SOCKS5'));
  return new ProxyAgent({
    ...limits,
    uri,
    connectTimeout: CONNECT_TIMEOUT,
    requestTls: { ...tls },
    ...(protocol === 'https:' && { proxyTls: { ...tls } }),
  });
}

type ResponseHead = Omit<WireResponse, 'body'>;

class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (response: WireResponse | Promise<WireResponse>) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #onEnd: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: ResponseHead = EMPTY_HEAD;
  #body = new ResponseBody();
  #isComplete = false;

  constructor(
    resolve: (response: WireResponse | Promise<WireResponse>) => void,
    reject: (reason: unknown) => void,
    onEnd: () => void,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onEnd = onEnd;
  }

  abort(reason: unknown): void {
    if (this.#finish()) this.#reject(reason);
    this.#controller?.abort(reason instanceof Error ? reason : new Error('aborted'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isComplete) controller.abort(new Error('aborted before it was sent'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    httpStatus: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#head = readResponseHead(httpStatus, (name) => headers[name]);
    this.#body = new ResponseBody([headers['content-encoding']].flat()[0]);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body.add(chunk)) return;
    this.#end();
    controller.abort(new Error('the response is too large'));
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // Without a controller, the request never had a connection.
    if (this.#finish()) this.#reject(this.#controller ? error : new NotConnectedError(error));
  }

  #end(): void {
    if (!this.#finish()) return;
    const body = this.#body.text();
    const toResponse = (text: BodyText) => ({ ...this.#head, body: text });
    this.#resolve(body instanceof Promise ? body.then(toResponse) : toResponse(body));
  }

  /** Marks the exchange as complete. @returns whether it was still in flight */
  #finish(): boolean {
    if (this.#isComplete) return false;
    this.#isComplete = true;
    this.#onEnd();
    return true;
  }
}

const EMPTY_HEAD: ResponseHead = readResponseHead(0, () => undefined);
