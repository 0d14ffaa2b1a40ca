import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { openFileLimit } from './io.ts';

const MOST_CONNECTIONS = 1_024;

/**
 * Keeps a server reachable while clients hold connections without using them: at the limit, a new connection replaces
 * the oldest one on which no request is being answered.
 * @param most defaults to half of the descriptors that the process may open, and to 1,024 at most
 */
export function limitConnections(server: Server, most = connectionLimit()): void {
  const connections = new Map<Socket, ServerResponse | undefined>();
  server.on('connection', (socket: Socket) => {
    if (connections.size >= most) {
      const replaced = replaceable(connections) ?? socket;
      connections.delete(replaced);
      replaced.destroy();
      if (replaced === socket) return;
    }
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  const begin = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (connections.has(socket)) connections.set(socket, response);
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, begin);
}

/** The oldest connection without a request, or the oldest one whose request has not arrived completely. */
function replaceable(connections: ReadonlyMap<Socket, ServerResponse | undefined>): Socket | undefined {
  let incomplete: Socket | undefined;
  for (const [socket, response] of connections) {
    if (!response || response.writableFinished) return socket;
    if (!response.req.complete) incomplete ??= socket;
  }
  return incomplete;
}

/** Files, and connections to other services, need descriptors as well. */
function connectionLimit(): number {
  return Math.min(MOST_CONNECTIONS, Math.floor(openFileLimit() / 2));
}
