import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { limitConnections } from '../kernel/connections.ts';
import { closeServer, type ListenAddress, listen } from '../kernel/listening.ts';
import { isLoopbackAddress } from '../kernel/loopback.ts';
import { failureResponse, RESPONSE_TYPE } from './calls/envelope.ts';
import type { RequestHandler } from './calls/request.ts';
import { createRequestSlots, rejectExpectation, respond } from './incoming.ts';
import { badRequest } from './store/refusal.ts';

/** Timeouts in milliseconds. Without them, a slow client could hold a connection forever. */
const DEFAULT_TIMEOUTS = {
  headers: 10_000,
  request: 60_000,
  closing: 10_000,
  stalled: 10_000,
  unread: 30_000,
};

export type ServerTimeouts = Readonly<typeof DEFAULT_TIMEOUTS>;
/**
 * Maximum share of the connections whose requests may wait for a response. The others stay free for
 * health checks.
 */
const MAX_BUSY_SHARE = 0.75;
export interface RunningServer {
  readonly url: string;
  readonly isLoopback: boolean;
  /** Finishes the requests in flight. */
  readonly close: () => Promise<void>;
}
const REJECTION_TIMEOUT = 1_000;

/**
 * Resolves when the server is listening.
 * @throws SvcError `local` if the address is not available
 */
export async function startServer(
  handle: RequestHandler,
  address: ListenAddress,
  timeouts: ServerTimeouts = DEFAULT_TIMEOUTS,
): Promise<RunningServer> {
  const server = createServer({
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: Math.min(1_000, timeouts.headers),
    // `respond` checks the Host header. HTTP/1.0 works without the header, and errors are
    // envelopes.
    requireHostHeader: false,
  });
  const slots = createRequestSlots(Math.floor(limitConnections(server) * MAX_BUSY_SHARE));
  let isLoopback = false;
  server.on('listening', () => {
    isLoopback = isLoopbackAddress((server.address() as AddressInfo).address);
  });
  const serve = (incoming: IncomingMessage, outgoing: ServerResponse, sendContinue?: () => void) =>
    void respond(handle, { incoming, outgoing, sendContinue }, { ...timeouts, isLoopback, slots });
  server.on('request', (incoming, outgoing) => serve(incoming, outgoing));
  server.on('checkContinue', (incoming, outgoing) =>
    serve(incoming, outgoing, () => outgoing.writeContinue()),
  );
  server.on('checkExpectation', rejectExpectation);
  server.on('clientError', (_, socket: Socket) => rejectConnection(socket));
  const url = await listen(server, address);
  return { url, isLoopback, close: () => closeServer(server, timeouts.closing) };
}

/** Rejects a request that is not valid HTTP or arrives too slowly. Closes the connection. */
function rejectConnection(socket: Socket): void {
  if (!socket.writable) return void socket.destroy();
  const { body } = failureResponse(badRequest());
  const head = [
    'HTTP/1.1 400 Bad Request',
    `content-type: ${RESPONSE_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), REJECTION_TIMEOUT).unref();
}
