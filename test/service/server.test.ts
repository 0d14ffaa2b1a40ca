import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answerer } from '../../src/service/request.ts';
import { type Limits, type RunningServer, startServer } from '../../src/service/server.ts';
import { post, serviceWorld } from './world.ts';

const BAD_REQUEST = { error: { message: 'Bad Request', status: 'INVALID_ARGUMENT' } };
const PATIENT: Limits = { headers: 10_000, request: 60_000, closing: 60_000, stalled: 10_000, unread: 30_000 };

async function started(answer: Answerer, limits: Partial<Limits> = {}): Promise<RunningServer> {
  const server = await startServer(answer, { host: '127.0.0.1', port: 0 }, { ...PATIENT, ...limits });
  onTestFinished(() => server.close());
  return server;
}

async function dial({ url }: RunningServer): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

const DONE = { status: 200, body: '"done"' };

/** A service that answers when it is let go. */
function heldService() {
  const arrival = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  const answer = async () => {
    arrival.resolve();
    await hold.promise;
    return DONE;
  };
  return { answer, arrived: arrival.promise, release: () => hold.resolve() };
}

describe('a hostile client', () => {
  it('whose headers come too slowly gets the envelope, and loses the connection', async () => {
    const { answer } = await serviceWorld();
    const socket = await dial(await started(answer, { headers: 100 }));
    socket.write('POST /v1/users/add HTTP/1.1\r\nHost: localhost\r\n');
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(body ?? '')).toEqual(BAD_REQUEST);
  });

  it('whose body stops half way gets the envelope, and loses the connection', async () => {
    const { answer, keyHeaders } = await serviceWorld();
    const socket = await dial(await started(answer, { stalled: 100 }));
    const headers = Object.entries({ ...keyHeaders(), 'content-type': 'application/json', 'content-length': 100 });
    const lines = ['POST /v1/users/add HTTP/1.1', 'Host: localhost', ...headers.map((pair) => pair.join(': '))];
    socket.write(`${lines.join('\r\n')}\r\n\r\n{"data":`);
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(body ?? '')).toEqual(BAD_REQUEST);
  });

  it('who does not read the answer loses the connection', async () => {
    const body = JSON.stringify('x'.repeat(64 * 1024 * 1024));
    const server = await started(async () => ({ status: 200, body }), { unread: 100 });
    const socket = (await dial(server)).pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'readable');
    // Takes as long as a connection is left: a minute if nothing else ends it.
    await server.close();
  });

  it.each(['\u0000\u0001 garbage\r\n\r\n', 'POST / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n'])(
    'that sends %j gets the envelope',
    async (bytes) => {
      const { answer } = await serviceWorld();
      const socket = await dial(await started(answer));
      socket.write(bytes);
      const [head, body] = (await text(socket)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 400 /);
      expect(JSON.parse(body ?? '')).toEqual(BAD_REQUEST);
    },
  );

  it('that sends 200 MB hears why it is refused, and the next call is answered', async () => {
    const { answer, keyHeaders, workspaceHeaders } = await serviceWorld();
    const { url } = await started(answer);
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    const headers = { ...keyHeaders(), 'content-type': 'application/json' };
    const sending = request(`${url}/v1/users/add`, { method: 'POST', headers });
    const response = once(sending, 'response');
    for (let sent = 0; sent < 200; sent++) if (!sending.write(chunk)) await once(sending, 'drain');
    sending.end();
    const [refused] = await response;
    expect(JSON.parse(await text(refused))).toMatchObject({ error: { message: /larger/ } });
    expect((await post(fetch, '/v2/workspace/get', '{"data":{}}', workspaceHeaders(), url)).status).toBe(200);
  });

  it('that nests 200,000 levels deep gets the envelope, and the next call is answered', async () => {
    const { answer, keyHeaders, workspaceHeaders } = await serviceWorld();
    const { url } = await started(answer);
    const deep = `{"data":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`;
    const refused = await post(fetch, '/v1/users/add', deep, keyHeaders(), url);
    expect(await refused.json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
    expect((await post(fetch, '/v2/workspace/get', '{"data":{}}', workspaceHeaders(), url)).status).toBe(200);
  });
});

describe('closing', () => {
  it('finishes what is in flight, and takes nothing new', async () => {
    const { answer, arrived, release } = heldService();
    const server = await started(answer);
    const inFlight = fetch(server.url);
    await arrived;
    const closed = server.close();
    await expect(fetch(server.url)).rejects.toThrow();
    release();
    expect(await (await inFlight).json()).toBe('done');
    await closed;
  });

  it('is not disturbed by a request that comes in meanwhile and is refused at once', async () => {
    const { answer, arrived, release } = heldService();
    const server = await started(answer);
    const socket = await dial(server);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await arrived;
    const closed = server.close();
    socket.write('GET / HTTP/1.1\r\nHost: a b\r\n\r\n');
    await fetch(server.url).catch(() => undefined);
    release();
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
    await closed;
  });

  it('does not wait for connections that are only kept alive', async () => {
    const server = await started(async () => DONE);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const [response] = await once(request(server.url, { agent }).end(), 'response');
    await text(response);
    await server.close();
  });

  it('cuts what does not end', async () => {
    const { answer, arrived, release } = heldService();
    onTestFinished(release);
    const server = await started(answer, { closing: 50 });
    const inFlight = fetch(server.url);
    await arrived;
    await Promise.all([server.close(), expect(inFlight).rejects.toThrow()]);
  });
});

describe('an address', () => {
  it('that is taken is refused by name', async () => {
    const { url } = await started(async () => DONE);
    const port = Number(new URL(url).port);
    await expect(startServer(async () => DONE, { host: '127.0.0.1', port })).rejects.toMatchObject({
      failure: 'local',
      message: `port ${port} of 127.0.0.1 is in use`,
    });
  });

  it('for all networks is shown as one that can be called', async () => {
    const server = await startServer(async () => DONE, { host: '0.0.0.0', port: 0 });
    onTestFinished(() => server.close());
    expect(await (await fetch(server.url)).json()).toBe('done');
  });
});
