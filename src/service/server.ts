import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Address, closeServer, listen } from '../kernel/listening.ts';
import { isLoopbackAddress } from './deliveries/private-addresses.ts';
import { ANSWER_TYPE, failure } from './envelope.ts';
import { respond } from './incoming.ts';
import { badRequest } from './refusal.ts';
import type { Answerer } from './request.ts';

/** Milliseconds that a client may take, so that a slow one cannot hold a connection for good. */
export interface Limits {
  readonly headers: number;
  readonly request: number;
  /** What a request in flight gets when the server closes. */
  readonly closing: number;
}

export interface RunningServer {
  readonly url: string;
  /** Whether only this machine can reach it. */
  readonly isLoopback: boolean;
  /** Takes no new connection, finishes what is in flight, then resolves. */
  close(): Promise<void>;
}

const LIMITS: Limits = { headers: 10_000, request: 60_000, closing: 10_000 };

/**
 * Answers HTTP on a port, and resolves once it does.
 * @throws SvcError `local` when the address cannot be had.
 */
export async function startServer(answer: Answerer, address: Address, limits: Limits = LIMITS): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      connectionsCheckingInterval: Math.min(1_000, limits.headers),
    },
    (incoming, outgoing) => void respond(answer, incoming, outgoing),
  );
  server.on('clientError', (_, socket: Socket) => refuse(socket));
  const url = await listen(server, address);
  const bound = server.address() as AddressInfo;
  return { url, isLoopback: isLoopbackAddress(bound.address), close: () => closeServer(server, limits.closing) };
}

/** What was not HTTP, or came too slowly, gets the envelope too. */
function refuse(socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const { body } = failure(badRequest());
  const head = [
    'HTTP/1.1 400 Bad Request',
    `content-type: ${ANSWER_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
