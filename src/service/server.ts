import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { limitConnections } from '../kernel/connections.ts';
import { type Address, closeServer, listen } from '../kernel/listening.ts';
import { isLoopbackAddress } from '../kernel/loopback.ts';
import { ANSWER_TYPE, failure } from './envelope.ts';
import { type Patience, refuseExpectation, respond } from './incoming.ts';
import { badRequest } from './refusal.ts';
import type { Answerer } from './request.ts';

/** Milliseconds that a client may take, so that a slow one cannot hold a connection for good. */
export interface Limits extends Patience {
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

const LIMITS: Limits = { headers: 10_000, request: 60_000, closing: 10_000, stalled: 10_000, unread: 30_000 };
/** Milliseconds in which a client that is refused can read why. */
const LAST_WORD = 1_000;

/**
 * Answers HTTP on a port, and resolves once it does.
 * @throws SvcError `local` when the address cannot be had.
 */
export async function startServer(answer: Answerer, address: Address, limits: Limits = LIMITS): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    connectionsCheckingInterval: Math.min(1_000, limits.headers),
    // Checked with the other headers, so that the refusal is an envelope and HTTP/1.0 needs none.
    requireHostHeader: false,
  });
  limitConnections(server);
  const isLoopback = () => isLoopbackAddress((server.address() as AddressInfo | null)?.address ?? '');
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse, invite?: () => void) =>
    void respond(answer, { incoming, outgoing, invite }, { ...limits, isLoopback: isLoopback() });
  server.on('request', (incoming, outgoing) => serve(incoming, outgoing));
  server.on('checkContinue', (incoming, outgoing) => serve(incoming, outgoing, () => outgoing.writeContinue()));
  server.on('checkExpectation', refuseExpectation);
  server.on('clientError', (_, socket: Socket) => refuse(socket));
  const url = await listen(server, address);
  return { url, isLoopback: isLoopback(), close: () => closeServer(server, limits.closing) };
}

/** Answers with the envelope what was not HTTP, or came too slowly, and closes the connection even if the client does not. */
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
  setTimeout(() => socket.destroy(), LAST_WORD).unref();
}
