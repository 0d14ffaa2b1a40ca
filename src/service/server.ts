import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { SvcError, systemErrorCode } from '../kernel/errors.ts';
import { failure } from './envelope.ts';
import { badRequest } from './errors.ts';

export interface Address {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** Milliseconds that a client may take, so that a slow one cannot hold a connection for good. */
export interface Limits {
  readonly headers: number;
  readonly request: number;
  /** What a request in flight gets when the server closes. */
  readonly closing: number;
}

export interface RunningServer {
  readonly url: string;
  /** Takes no new connection, finishes what is in flight, then resolves. */
  close(): Promise<void>;
}

const LIMITS: Limits = { headers: 10_000, request: 60_000, closing: 10_000 };

/**
 * Answers HTTP on a port, and resolves once it does.
 * @throws SvcError `local` when the address cannot be had.
 */
export async function startServer(
  fetch: typeof globalThis.fetch,
  address: Address,
  limits: Limits = LIMITS,
): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      connectionsCheckingInterval: Math.min(1_000, limits.headers),
    },
    getRequestListener((request) => fetch(request), { errorHandler: () => failure(badRequest()) }),
  );
  server.on('clientError', (_, socket: Socket) => void refuse(socket));
  await listen(server, address);
  return { url: urlOf(server.address() as AddressInfo), close: () => close(server, limits.closing) };
}

/** What was not HTTP, or came too slowly, gets the envelope too. */
async function refuse(socket: Socket): Promise<void> {
  if (!socket.writable) return void socket.destroy();
  const response = failure(badRequest());
  const body = await response.text();
  const head = [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function listen(server: Server, { host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen(port, host, () => resolve());
  });
}

function listenError(error: Error, host: string, port: number): SvcError {
  const code = systemErrorCode(error);
  if (code === 'EADDRINUSE') {
    return new SvcError('local', `port ${port} of ${host} is in use`, { hint: '--port 0 takes a free one' });
  }
  return new SvcError('local', `cannot listen on port ${port} of ${host}: ${code ?? error.message}`, { cause: error });
}

function urlOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (address === '::') return `http://[::1]:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

function close(server: Server, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => server.closeAllConnections(), patience);
    // A connection whose answer is out becomes idle only after the answer's own event.
    server.on('request', (_: IncomingMessage, response) => response.setHeader('connection', 'close'));
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(giveUp);
      clearInterval(sweep);
      resolve();
    });
  });
}
