import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { once } from './once.ts';
import { getOpenFileLimit } from './process.ts';

const MAX_CONNECTIONS = 1_024;
/** Cached, because reading the limit of open files takes milliseconds. */
const getDefaultLimit = once(() => Math.min(MAX_CONNECTIONS, Math.floor(getOpenFileLimit() / 2)));

/**
 * At the limit, a new connection replaces the oldest one that is not serving a request, so that the
 * server stays reachable.
 * @returns the limit
 */
export function limitConnections(server: Server, limit = getDefaultLimit()): number {
  const connections = new Map<Socket, ServerResponse | undefined>();
  server.on('connection', (socket: Socket) => {
    if (connections.size >= limit) {
      const replaced = findReplaceable(connections) ?? socket;
      connections.delete(replaced);
      replaced.destroy();
      if (replaced === socket) return;
    }
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  const trackRequest = ({ socket }: IncomingMessage, response: ServerResponse) => {
    if (connections.has(socket)) connections.set(socket, response);
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation'])
    server.on(event, trackRequest);
  return limit;
}

function findReplaceable(
  connections: ReadonlyMap<Socket, ServerResponse | undefined>,
): Socket | undefined {
  let incomplete: Socket | undefined;
  for (const [socket, response] of connections) {
    if (!response || response.writableFinished) return socket;
    if (!response.req.complete) incomplete ??= socket;
  }
  return incomplete;
}
