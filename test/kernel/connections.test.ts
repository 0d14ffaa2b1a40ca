import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { limitConnections } from '../../src/kernel/connections.ts';
import { listen } from '../listen.ts';

/**
 * A server limited to two connections, and a function that opens a connection and sends these
 * bytes.
 */
async function limited(answer: RequestListener) {
  const server = createServer(answer);
  limitConnections(server, 2);
  const [host, port] = (await listen(server)).split(':');
  return async (bytes = ''): Promise<Socket> => {
    const accepted = once(server, 'connection');
    const socket = connect(Number(port), host);
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    await accepted;
    socket.write(bytes);
    return socket;
  };
}

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';
const isClosed = (socket: Socket) => expect(once(socket.resume(), 'close')).resolves.toBeDefined();
const answered = (socket: Socket) => expect(once(socket, 'data')).resolves.toBeDefined();

it('replaces the oldest idle connection', async () => {
  const dial = await limited((_, response) => response.end());
  const [first, second] = [await dial(), await dial()];
  const third = await dial(GET);
  await Promise.all([isClosed(first), answered(third)]);
  second.write(GET);
  await answered(second);
});

it('replaces a connection whose response is complete', async () => {
  const dial = await limited((_, response) => response.end());
  const first = await dial(GET);
  await answered(first);
  await dial();
  await Promise.all([isClosed(first), answered(await dial(GET))]);
});

it('replaces a connection with an incomplete request only if no connection is idle', async () => {
  const dial = await limited(({ method }, response) => void (method === 'GET' && response.end()));
  const half = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{';
  const first = await dial(half);
  const silent = await dial();
  await Promise.all([isClosed(silent), answered(await dial(GET))]);
  expect(first.destroyed).toBe(false);
});

it('never replaces a connection whose request is being served', async () => {
  const arrivals: (() => void)[] = [];
  const twoArrived = Promise.withResolvers<void>();
  const dial = await limited((_, response) => {
    arrivals.push(() => response.end());
    if (arrivals.length === 2) twoArrived.resolve();
  });
  const busy = [await dial(GET), await dial(GET)];
  await twoArrived.promise;
  await isClosed(await dial(GET));
  const answers = busy.map(answered);
  for (const answer of arrivals) answer();
  await Promise.all(answers);
});
