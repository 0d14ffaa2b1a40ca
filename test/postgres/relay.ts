import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** What passes everything on to the database of a URL, until it drops what lies idle, as a pooler may. */
export async function relayTo({ hostname, port }: URL) {
  let dropped = 0;
  const drop = new Set<() => void>();
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
      socket.on('error', () => undefined).on('close', () => [client, server].forEach((each) => void each.destroy()));
    }
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void relay.close());
  await once(relay, 'listening');
  return {
    port: (relay.address() as AddressInfo).port,
    /** Of what is connected now, each is cut off at its next word. */
    dropAll: () => {
      for (const each of drop) each();
      drop.clear();
    },
    dropped: () => dropped,
  };
}
