import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Starts a relay to the database of a URL. Like a pooler, it can drop idle connections. */
export async function relayTo({ hostname, port }: URL) {
  let dropped = 0;
  const drop = new Set<() => void>();
  const sockets = new Set<Socket>();
  const relay = createServer((client) => {
    const server = connect(Number(port), hostname);
    let isDropped = false;
    drop.add(() => {
      isDropped = true;
    });
    client.on('data', (words) => {
      if (!isDropped) return void server.write(words);
      dropped++;
      client.destroy();
      server.destroy();
    });
    server.on('data', (words) => client.write(words));
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => [client, server].forEach((each) => void each.destroy()));
    }
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void relay.close());
  await once(relay, 'listening');
  return {
    port: (relay.address() as AddressInfo).port,
    /** Drops each current connection on its next data. */
    dropAll: () => {
      for (const each of drop) each();
      drop.clear();
    },
    dropped: () => dropped,
    /** Ends all connections, and accepts no others. */
    close: async () => {
      for (const each of sockets) each.destroy();
      await new Promise((resolve) => relay.close(resolve));
    },
  };
}
