import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * Starts a TCP load balancer: each connection goes to the next server that accepts it. It knows
 * nothing of HTTP.
 */
export async function startBalancer(servers: readonly string[]) {
  const addresses = servers.map((url) => new URL(url));
  const served = addresses.map(() => 0);
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  };
  let next = 0;
  const relay = async (client: Socket) => {
    for (let tries = 0; tries < addresses.length; tries++) {
      const chosen = next++ % addresses.length;
      const { hostname, port } = addresses[chosen] as URL;
      const server = track(connect(Number(port), hostname));
      const isConnected = await new Promise<boolean>((resolve) => {
        server.on('connect', () => resolve(true)).on('error', () => resolve(false));
      });
      if (!isConnected) continue;
      served[chosen] = (served[chosen] ?? 0) + 1;
      for (const socket of [client, server])
        socket.on('close', () => [client, server].forEach((each) => void each.destroy()));
      client.pipe(server).pipe(client);
      return;
    }
    client.destroy();
  };
  const balancer = createServer((client) => void relay(track(client))).listen(0, '127.0.0.1');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    balancer.close();
  });
  await once(balancer, 'listening');
  return {
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    /** Connections that each server accepted. */
    served,
  };
}
