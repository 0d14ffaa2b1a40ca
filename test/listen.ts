import type { AddressInfo, Server, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a server on a port, by default a free one, and closes it and its connections at the end of the test.
 *
 * @returns the address: `127.0.0.1:8080`
 */
export async function listen(server: Server, port = 0): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
