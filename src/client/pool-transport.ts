import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import { muteWarnings } from '../kernel/io.ts';
import { AnswerBody, type AnswerText } from './answer-body.ts';
import { Deadlines } from './deadlines.ts';
import type { NetworkProxy } from './proxy.ts';
import { AttemptTimeout } from './time-limit.ts';
import {
  CONNECT_TIMEOUT,
  NotConnected,
  type OpenTransport,
  replyHead,
  type Transport,
  type WireOptions,
  type WireReply,
} from './transport.ts';

export interface PoolOptions extends WireOptions {
  readonly baseUrl: string;
  readonly proxy?: NetworkProxy;
}

const CONNECTIONS = 32;

/**
 * Sends many requests to one origin over connections that stay open, through a proxy where there is one. Answers are
 * not asked to be compressed.
 */
export function poolTransport(options: PoolOptions): OpenTransport {
  const { attemptTimeout } = options;
  const { origin } = new URL(options.baseUrl);
  const dispatcher = openDispatcher(origin, options);
  const deadlines = new Deadlines<Exchange>(attemptTimeout, (exchange) =>
    exchange.abort(new AttemptTimeout(attemptTimeout)),
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
    connections: CONNECTIONS,
    // A slow answer holds up no other request.
    pipelining: 1,
    allowH2: false,
    // The deadlines are over the whole attempt.
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

type Head = Omit<WireReply, 'answer'>;

/** A request on its way, and its reply as it comes in. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (reply: WireReply | Promise<WireReply>) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #ended: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head = EMPTY_HEAD;
  #answer = new AnswerBody();
  #over = false;

  /** `ended` is called once, when there is nothing left to wait for. */
  constructor(
    resolve: (reply: WireReply | Promise<WireReply>) => void,
    reject: (reason: unknown) => void,
    ended: () => void,
  ) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#ended = ended;
  }

  abort(reason: unknown): void {
    if (this.#finish()) this.#reject(reason);
    this.#controller?.abort(asError(reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error('given up before it was sent'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    httpStatus: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#head = replyHead(httpStatus, (name) => headers[name]);
    this.#answer = new AnswerBody([headers['content-encoding']].flat()[0]);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#answer.add(chunk)) return;
    this.#end();
    controller.abort(new Error('more than is read of an answer'));
  }

  onResponseEnd(): void {
    this.#end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // A request begins where there is a connection for it; a proxy may have left before.
    if (this.#finish()) this.#reject(this.#controller ? error : new NotConnected(error));
  }

  #end(): void {
    if (!this.#finish()) return;
    const answer = this.#answer.text();
    const reply = (text: AnswerText) => ({ ...this.#head, answer: text });
    this.#resolve(answer instanceof Promise ? answer.then(reply) : reply(answer));
  }

  /** Whether it was still under way. */
  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#ended();
    return true;
  }
}

const EMPTY_HEAD: Head = replyHead(0, () => undefined);

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}
