import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitConnections } from '../kernel/connections.ts';
import { type Address, closeServer, listen } from '../kernel/listening.ts';
import { foreignHeader, isLoopbackAddress } from '../kernel/loopback.ts';
import { type HeaderList, headerList, headersByName, headerValues } from './headers.ts';

/** A request as it came: path, headers as they were written, and the bytes of the body. */
export interface Arrival {
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

/** A status and a line of text. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

export interface ReceiverLimits {
  /** Bytes of one body. */
  readonly body: number;
  /** Bytes of all bodies that are held at once. */
  readonly held: number;
  /** Milliseconds until headers, and until a whole request has come. */
  readonly headers: number;
  readonly request: number;
}

export interface ReceiverOptions {
  readonly address: Address;
  /** Further names that requests may be for, when the address is this machine's own: those of a tunnel, say. */
  readonly allowedHosts: readonly string[];
  readonly answer: (arrival: Arrival) => Promise<Reply>;
  /** Told of a request that was turned away, and of what `answer` threw. */
  readonly refused: (reason: string) => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly limits?: ReceiverLimits;
}

export interface Receiver {
  readonly url: string;
  /** Takes no new connection, and finishes what is in flight for at most `patience` milliseconds. */
  close(patience: number): Promise<void>;
}

const MEGABYTE = 1024 * 1024;
const LIMITS: ReceiverLimits = { body: 10 * MEGABYTE, held: 64 * MEGABYTE, headers: 10_000, request: 30_000 };
/** Milliseconds in which a sender that was refused can read why. */
const LAST_WORD = 1_000;

/**
 * Receives POST requests, and resolves once it does. What is too long, too slow or meant for another host is refused
 * before `answer` sees it.
 * @throws SvcError `local` when the address cannot be had
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { address, limits = LIMITS } = options;
  const held = { bytes: 0 };
  const serve = (exchange: Exchange) => {
    const bound = server.address() as AddressInfo | null;
    handle(exchange, { ...options, limits, held, isLoopback: isLoopbackAddress(bound?.address ?? '') }).catch(
      (error: unknown) => {
        options.failed(error);
        say(exchange.response, { status: 500, text: 'the listener failed' });
      },
    );
  };
  const server = createServer({
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    connectionsCheckingInterval: Math.min(1_000, limits.headers),
  });
  limitConnections(server);
  server.on('request', (request, response) => serve({ request, response, invite: () => undefined }));
  server.on('checkContinue', (request, response) =>
    serve({ request, response, invite: () => response.writeContinue() }),
  );
  const url = await listen(server, address);
  return { url, close: (patience) => closeServer(server, patience) };
}

interface Held {
  bytes: number;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Tells a sender that waits to be told so that it may send the body. */
  readonly invite: () => void;
}

interface Handling extends ReceiverOptions {
  readonly limits: ReceiverLimits;
  readonly held: Held;
  /** Only this machine can reach the receiver. */
  readonly isLoopback: boolean;
}

async function handle(
  { request, response, invite }: Exchange,
  { answer, refused, held, ...options }: Handling,
): Promise<void> {
  const headers = headerList(request.rawHeaders);
  const refusal = headRefusal(request, headers, options);
  if (refusal) {
    await refused(refusal.text);
    return turnAway(request, response, refusal);
  }
  invite();
  const body = await readBody(request, options.limits, held);
  if (body === undefined) return;
  if (!Buffer.isBuffer(body)) {
    await refused(body.text);
    return turnAway(request, response, body);
  }
  try {
    say(response, await answer({ path: request.url ?? '/', headers, body }));
  } finally {
    held.bytes -= body.length;
  }
}

/** What the head of a request alone tells against it. */
function headRefusal(
  { method, headers: { 'content-length': length, origin } }: IncomingMessage,
  list: HeaderList,
  { isLoopback, allowedHosts, limits }: Pick<Handling, 'isLoopback' | 'allowedHosts' | 'limits'>,
): Reply | undefined {
  const hosts = headerValues(headersByName(list), 'host');
  const foreign = isLoopback ? foreignHeader({ hosts, origin }, allowedHosts) : undefined;
  if (foreign === 'host') return { status: 421, text: `it is for the host ${hosts.join(' and ')}` };
  if (foreign === 'origin') return { status: 403, text: `it is from a page of ${origin}` };
  if (method !== 'POST') return { status: 405, text: `${method} is not taken, only POST` };
  return Number(length) > limits.body ? tooLong(limits) : undefined;
}

function tooLong({ body }: ReceiverLimits): Reply {
  return { status: 413, text: `the body is longer than ${body} bytes` };
}

/** The body, counted as held; or why there is none; or nothing where the sender left. */
function readBody(request: IncomingMessage, limits: ReceiverLimits, held: Held): Promise<Buffer | Reply | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const stop = (result: Reply | undefined) => {
      held.bytes -= length;
      request.removeAllListeners('data').removeAllListeners('end').removeAllListeners('close');
      resolve(result);
    };
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      held.bytes += chunk.length;
      if (length > limits.body) stop(tooLong(limits));
      else if (held.bytes > limits.held) stop({ status: 503, text: 'too much comes at once' });
    });
    request.on('end', () => resolve(Buffer.concat(chunks, length)));
    request.on('close', () => (request.complete ? undefined : stop(undefined)));
    request.on('error', () => undefined); // `close` follows
  });
}

/** Answers without reading on, and lets the sender hear it before the connection goes. */
function turnAway(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  response.setHeader('connection', 'close');
  if (reply.status === 405) response.setHeader('allow', 'POST');
  say(response, reply);
  request.resume();
  setTimeout(() => request.destroy(), LAST_WORD).unref();
}

function say(response: ServerResponse, { status, text }: Reply): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}
