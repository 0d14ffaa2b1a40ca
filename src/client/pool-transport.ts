import { isUtf8 } from 'node:buffer';
import { type Dispatcher, Pool } from 'undici';
import { type AnswerText, MOST_BYTES, NOT_UTF8, readAnswerText, tooLarge } from './answer-body.ts';
import { Deadlines } from './deadlines.ts';
import type { Trust } from './network.ts';
import { AttemptTimeout } from './time-limit.ts';
import type { Transport, WireReply } from './transport.ts';

/** A transport with connections that have to be closed at the end. */
export interface PooledTransport {
  readonly transport: Transport;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly baseUrl: string;
  /** Milliseconds one attempt may take. */
  readonly attemptTimeout: number;
  /** Whom to trust, where it is not only whom Node trusts. */
  readonly tls?: Trust;
}

const CONNECTIONS = 32;
const CONNECT_TIMEOUT = 10_000;

/**
 * Sends many requests to one origin over connections that stay open, with a fraction of the work of a fetch each.
 * Answers are not asked to be compressed.
 */
export function poolTransport({ baseUrl, attemptTimeout, tls }: PoolOptions): PooledTransport {
  const { origin } = new URL(baseUrl);
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    // A slow answer holds up no other request.
    pipelining: 1,
    allowH2: false,
    connect: { timeout: CONNECT_TIMEOUT, ...tls },
    // The deadlines are over the whole attempt.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
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
      pool.dispatch({ path, method: 'POST', headers: { ...headers, ...credentials }, body }, exchange);
    });
  return { transport, close: () => pool.destroy() };
}

interface Head extends Omit<WireReply, 'answer'> {
  readonly encoding: string | undefined;
}

/** A request on its way, and its reply as it comes in. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (reply: WireReply | Promise<WireReply>) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #chunks: Buffer[] = [];
  readonly #ended: () => void;
  #bytes = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head = EMPTY_HEAD;
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
    this.#head = {
      httpStatus,
      retryAfter: one(headers['retry-after']),
      location: one(headers['location']),
      encoding: one(headers['content-encoding']),
    };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= MOST_BYTES) return;
    if (this.#finish()) this.#resolve({ ...this.#head, answer: tooLarge(MOST_BYTES) });
    controller.abort(new Error('more than is read of an answer'));
  }

  onResponseEnd(): void {
    if (!this.#finish()) return;
    const { encoding, ...head } = this.#head;
    const [chunk, ...others] = this.#chunks;
    const body = chunk && others.length === 0 ? chunk : Buffer.concat(this.#chunks);
    if (encoding === undefined) this.#resolve({ ...head, answer: decoded(body) });
    else this.#resolve(decompressed(body, encoding).then((answer) => ({ ...head, answer })));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#finish()) this.#reject(error);
  }

  /** Whether it was still under way. */
  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#ended();
    return true;
  }
}

const EMPTY_HEAD: Head = { httpStatus: 0, retryAfter: undefined, location: undefined, encoding: undefined };

function one(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}

const BYTE_ORDER_MARK = '\uFEFF';

function decoded(body: Buffer): AnswerText {
  if (!isUtf8(body)) return NOT_UTF8;
  const text = body.toString('utf8');
  return { text: text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text };
}

const ENCODINGS = new Map<string, 'gzip' | 'deflate'>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
]);

/** An answer that is compressed all the same. Rejects when it is not what its encoding says. */
async function decompressed(body: Buffer, encoding: string): Promise<AnswerText> {
  const name = encoding.trim().toLowerCase();
  if (name === 'identity' || body.length === 0) return decoded(body);
  const format = ENCODINGS.get(name);
  if (!format) return { flaw: 'a compressed body that was not asked for' };
  const plain = new Response(body).body?.pipeThrough(new DecompressionStream(format));
  return readAnswerText(new Response(plain));
}
