import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limitConnections } from '../kernel/connections.ts';
import { closeServer, type ListenAddress, listen } from '../kernel/listening.ts';
import { findForeignHeader, isLoopbackAddress } from '../kernel/loopback.ts';
import { groupHeaders, type HeaderList, headerValuesOf, parseRawHeaders } from './headers.ts';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: HeaderList;
  readonly body: Buffer;
}

export interface ReceiverResponse {
  readonly status: number;
  readonly text: string;
}

export interface ReceiverLimits {
  readonly body: number;
  /** Maximum bytes of all bodies in memory. */
  readonly totalBodies: number;
  /** Time limits for the headers and for the whole request, in milliseconds. */
  readonly headers: number;
  readonly request: number;
}

export interface ReceiverOptions {
  readonly address: ListenAddress;
  /** Additional host names to accept on a loopback address, such as that of a tunnel. */
  readonly allowedHosts: readonly string[];
  readonly handle: (received: ReceivedRequest) => Promise<ReceiverResponse>;
  readonly onRejected: (reason: string) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly limits?: ReceiverLimits;
}

const MEGABYTE = 1024 * 1024;
const DEFAULT_LIMITS: ReceiverLimits = {
  body: 10 * MEGABYTE,
  totalBodies: 64 * MEGABYTE,
  headers: 10_000,
  request: 30_000,
};
/** Time for a rejected sender to read the response, in milliseconds. */
const CLOSE_DELAY = 1_000;

/**
 * Rejects requests that are too large, too slow, or for another host.
 * @throws SvcError `local` if the address is in use
 */
export async function startReceiver(options: ReceiverOptions) {
  const { address, limits = DEFAULT_LIMITS } = options;
  const buffered = { bytes: 0 };
  const serve = (request: IncomingMessage, response: ServerResponse, awaitsContinue: boolean) => {
    const bound = server.address() as AddressInfo | null;
    const isLoopback = isLoopbackAddress(bound?.address ?? '');
    const context = { ...options, limits, buffered, isLoopback, awaitsContinue };
    handleRequest(request, response, context).catch((error: unknown) => {
      options.onError(error);
      sendResponse(response, { status: 500, text: 'the listener failed' });
    });
  };
  const server = createServer({
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    connectionsCheckingInterval: Math.min(1_000, limits.headers),
  });
  limitConnections(server);
  server.on('request', (request, response) => serve(request, response, false));
  server.on('checkContinue', (request, response) => serve(request, response, true));
  const url = await listen(server, address);
  return {
    url,
    /**
     * Stops accepting connections, and waits at most `timeout` milliseconds for requests in flight.
     */
    close: (timeout: number) => closeServer(server, timeout),
  };
}

interface RequestContext extends ReceiverOptions {
  readonly limits: ReceiverLimits;
  readonly buffered: { bytes: number };
  readonly isLoopback: boolean;
  /** Whether the sender waits for `100 Continue` before it sends the body. */
  readonly awaitsContinue: boolean;
}

async function handleRequest(
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): Promise<void> {
  const { handle, onRejected, buffered, awaitsContinue } = context;
  const headers = parseRawHeaders(request.rawHeaders);
  const rejection = checkHead(request, headers, context);
  if (rejection) {
    await onRejected(rejection.text);
    return rejectRequest(request, response, rejection);
  }
  if (awaitsContinue) response.writeContinue();
  const body = await readBody(request, context);
  if (body === undefined) return;
  if (!Buffer.isBuffer(body)) {
    await onRejected(body.text);
    return rejectRequest(request, response, body);
  }
  try {
    sendResponse(response, await handle({ path: request.url ?? '/', headers, body }));
  } finally {
    buffered.bytes -= body.length;
  }
}

function checkHead(
  { method, headers: { 'content-length': length, origin } }: IncomingMessage,
  list: HeaderList,
  { isLoopback, allowedHosts, limits }: RequestContext,
): ReceiverResponse | undefined {
  const hosts = headerValuesOf(groupHeaders(list), 'host');
  const foreign = isLoopback ? findForeignHeader({ hosts, origin }, allowedHosts) : undefined;
  if (foreign === 'host') return { status: 421, text: `unexpected host ${hosts.join(' and ')}` };
  if (foreign === 'origin') return { status: 403, text: `unexpected origin ${origin}` };
  if (method !== 'POST') return { status: 405, text: `${method} is not allowed, only POST` };
  return Number(length) > limits.body ? createTooLongResponse(limits) : undefined;
}

function createTooLongResponse({ body }: ReceiverLimits): ReceiverResponse {
  return { status: 413, text: `the body is longer than ${body} bytes` };
}

/**
 * Reads the body and counts it as buffered. Returns a response if the body is too large, or
 * `undefined` if the sender disconnected.
 */
async function readBody(request: IncomingMessage, { limits, buffered }: RequestContext) {
  const chunks: Buffer[] = [];
  let length = 0;
  const discard = (response?: ReceiverResponse) => {
    buffered.bytes -= length;
    return response;
  };
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      length += chunk.length;
      buffered.bytes += chunk.length;
      if (length > limits.body) return discard(createTooLongResponse(limits));
      if (buffered.bytes > limits.totalBodies)
        return discard({ status: 503, text: 'too many requests at once' });
    }
  } catch {
    return discard();
  }
  return Buffer.concat(chunks, length);
}

/** Responds without reading the rest of the request, and closes the connection after a delay. */
function rejectRequest(
  request: IncomingMessage,
  response: ServerResponse,
  rejection: ReceiverResponse,
): void {
  response.setHeader('connection', 'close');
  if (rejection.status === 405) response.setHeader('allow', 'POST');
  sendResponse(response, rejection);
  request.resume();
  setTimeout(() => request.destroy(), CLOSE_DELAY).unref();
}

function sendResponse(response: ServerResponse, { status, text }: ReceiverResponse): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}
