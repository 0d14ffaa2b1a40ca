import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RequestHandler } from '../../src/service/calls/request.ts';
import { withCallLog } from '../../src/service/local/requests/call-log.ts';
import { type RunningServer, type ServerTimeouts, startServer } from '../../src/service/server.ts';
import { SLOW } from '../slow.ts';
import { post, startTestService } from './test-service.ts';

const BAD_REQUEST = { error: { message: 'Bad Request', status: 'INVALID_ARGUMENT' } };
const LONG_TIMEOUTS: ServerTimeouts = {
  headers: 10_000,
  request: 60_000,
  closing: 60_000,
  stalled: 10_000,
  unread: 30_000,
};

async function startWith(
  handle: RequestHandler,
  limits: Partial<ServerTimeouts> = {},
): Promise<RunningServer> {
  const server = await startServer(
    handle,
    { host: '127.0.0.1', port: 0 },
    { ...LONG_TIMEOUTS, ...limits },
  );
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

/** Creates a service that blocks each request until released. */
function createBlockedService() {
  const arrival = Promise.withResolvers<void>();
  const hold = Promise.withResolvers<void>();
  const handle = async () => {
    arrival.resolve();
    await hold.promise;
    return DONE;
  };
  return { handle, arrived: arrival.promise, release: () => hold.resolve() };
}

describe('a hostile client', () => {
  it('with slow headers gets the envelope, and its connection is closed', async () => {
    const { handle } = await startTestService();
    const socket = await dial(await startWith(handle, { headers: 100 }));
    socket.write('POST /v1/users/add HTTP/1.1\r\nHost: localhost\r\n');
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(body ?? '')).toEqual(BAD_REQUEST);
  });

  it('with an incomplete body gets the envelope, and its connection is closed', async () => {
    const { handle, keyHeaders } = await startTestService();
    const socket = await dial(await startWith(handle, { stalled: 100 }));
    const headers = Object.entries({
      ...keyHeaders(),
      'content-type': 'application/json',
      'content-length': 100,
    });
    const lines = [
      'POST /v1/users/add HTTP/1.1',
      'Host: localhost',
      ...headers.map((pair) => pair.join(': ')),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n{"data":`);
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(body ?? '')).toEqual(BAD_REQUEST);
  });

  it.each<[string, Record<string, string>, number]>([
    ['no credentials', {}, 400],
    ['an unknown key', { 'x-svc-api-key': 'none', 'x-svc-auth-token': 'none' }, 403],
    ['a wrong token', { 'x-svc-auth-token': 'none' }, 401],
  ])('that announces a body, with %s, is answered at once', async (name, changed, status) => {
    const { handle, keyHeaders } = await startTestService();
    const log = { dropIfFull: () => false, add: () => undefined };
    const socket = await dial(await startWith(withCallLog(handle, log)));
    const headers = Object.entries({
      ...(name === 'no credentials' ? {} : keyHeaders()),
      ...changed,
      'content-type': 'application/json',
      'content-length': 100,
    });
    const lines = headers.map((pair) => `${pair.join(': ')}\r\n`).join('');
    socket.write(`POST /v1/users/add HTTP/1.1\r\nHost: localhost\r\n${lines}\r\n`);
    const [received] = await once(socket, 'data');
    expect(String(received)).toMatch(
      new RegExp(`^HTTP/1.1 ${status} [^]*connection: close\r\n`, 'i'),
    );
    expect(String(received)).toContain('"error"');
    socket.end('x'.repeat(100));
    await once(socket, 'close');
  });

  it('that does not read the response is disconnected', SLOW, async () => {
    const body = JSON.stringify('x'.repeat(64 * 1024 * 1024));
    const server = await startWith(async () => ({ status: 200, body }), { unread: 100 });
    const socket = (await dial(server)).pause();
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket, 'readable');
    // The connection would stay open for a minute if the server did not close it.
    await expect(server.close()).resolves.toBeUndefined();
  });

  it.each([
    '\u0000\u0001 garbage\r\n\r\n',
    'POST / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
  ])('that sends %j gets the envelope', async (bytes) => {
    const { handle } = await startTestService();
    const socket = await dial(await startWith(handle));
    socket.write(bytes);
    const [head, body] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 400 /);
    expect(JSON.parse(body ?? '')).toEqual(BAD_REQUEST);
  });

  it('that sends 200 MB gets the reason, and the next call succeeds', SLOW, async () => {
    const { handle, keyHeaders, workspaceHeaders } = await startTestService();
    const { url } = await startWith(handle);
    const chunk = Buffer.alloc(1024 * 1024, 0x20);
    const headers = { ...keyHeaders(), 'content-type': 'application/json' };
    const outgoing = request(`${url}/v1/users/add`, { method: 'POST', headers });
    const response = once(outgoing, 'response');
    for (let sent = 0; sent < 200; sent++)
      if (!outgoing.write(chunk)) await once(outgoing, 'drain');
    outgoing.end();
    const [refused] = await response;
    expect(JSON.parse(await text(refused))).toMatchObject({ error: { message: /larger/ } });
    expect(
      (await post(fetch, '/v2/workspace/get', '{"data":{}}', workspaceHeaders(), url)).status,
    ).toBe(200);
  });

  it('that nests 200,000 levels deep gets the envelope, and the next call succeeds', async () => {
    const { handle, keyHeaders, workspaceHeaders } = await startTestService();
    const { url } = await startWith(handle);
    const deep = `{"data":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`;
    const refused = await post(fetch, '/v1/users/add', deep, keyHeaders(), url);
    expect(await refused.json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT' } });
    expect(
      (await post(fetch, '/v2/workspace/get', '{"data":{}}', workspaceHeaders(), url)).status,
    ).toBe(200);
  });
});

describe('closing', () => {
  it('finishes requests in flight, and accepts no new ones', async () => {
    const { handle, arrived, release } = createBlockedService();
    const server = await startWith(handle);
    const inFlight = fetch(server.url);
    await arrived;
    const closed = server.close();
    await expect(fetch(server.url)).rejects.toThrow();
    release();
    expect(await (await inFlight).json()).toBe('done');
    await closed;
  });

  it('waits for requests in flight although others are rejected meanwhile', async () => {
    const { handle, arrived, release } = createBlockedService();
    const server = await startWith(handle);
    const [inFlight, rejected] = [await dial(server), await dial(server)];
    // A request that has begun: closing does not end its connection.
    rejected.write('GET / HTTP/1.1\r\n');
    inFlight.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    await arrived;
    let isClosed = false;
    const closed = server.close().then(() => {
      isClosed = true;
    });
    rejected.write('Host: one\r\nHost: two\r\nConnection: close\r\n\r\n');
    expect(await text(rejected)).toMatch(/^HTTP\/1.1 400 /);
    expect(isClosed).toBe(false);
    release();
    expect(await text(inFlight)).toMatch(/^HTTP\/1.1 200 /);
    await closed;
  });

  it('does not wait for idle keep-alive connections', async () => {
    const server = await startWith(async () => DONE);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const [response] = await once(request(server.url, { agent }).end(), 'response');
    await text(response);
    await expect(server.close()).resolves.toBeUndefined();
  });

  it('cuts off requests that do not end', async () => {
    const { handle, arrived, release } = createBlockedService();
    onTestFinished(release);
    const server = await startWith(handle, { closing: 50 });
    const inFlight = fetch(server.url);
    await arrived;
    await Promise.all([server.close(), expect(inFlight).rejects.toThrow()]);
  });
});

describe('a listening address', () => {
  it('that is in use is named in the error', async () => {
    const { url } = await startWith(async () => DONE);
    const port = Number(new URL(url).port);
    await expect(startServer(async () => DONE, { host: '127.0.0.1', port })).rejects.toMatchObject({
      failure: 'local',
      message: `port ${port} on 127.0.0.1 is already in use`,
    });
  });

  it('for all interfaces is shown as a reachable URL', async () => {
    const server = await startServer(async () => DONE, { host: '0.0.0.0', port: 0 });
    onTestFinished(() => server.close());
    expect(await (await fetch(server.url)).json()).toBe('done');
  });
});
