import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createHttpSender,
  type HttpSenderOptions,
} from '../../../src/service/deliveries/http-sender.ts';
import { listen } from '../../listen.ts';
import { receiver } from './receiver.ts';

function createSend(options: Partial<HttpSenderOptions> = {}) {
  const sender = createHttpSender({ allowPrivateTargets: true, timeout: 400, ...options });
  onTestFinished(() => sender.close());
  return (url: string, headers = {}) => sender.send({ url, headers, body: '{"ü":1}' });
}

describe('sending a request', () => {
  it.each([200, 204, 299, 400, 500])('returns the status: %d', async (status) => {
    const { url, received } = await receiver(() => status);
    expect(await createSend()(url)).toMatchObject({ status, error: null, body: null });
    expect(received[0]).toMatchObject({ body: '{"ü":1}', headers: { 'content-length': '8' } });
  });

  it.each<[string, (response: ServerResponse) => void, object]>([
    ['never responds', () => undefined, { status: null, error: 'no response within 0.4 s' }],
    [
      'never ends its response',
      (response) => void response.writeHead(200).write('x'),
      { status: 200 },
    ],
    [
      'sends an endless body',
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'.repeat(100_000)), 1);
        response.on('close', () => clearInterval(timer));
      },
      { status: 200 },
    ],
    [
      'closes the connection',
      (response) => void response.socket?.destroy(),
      { status: null, error: 'the connection was closed before the response was complete' },
    ],
    [
      'does not speak HTTP',
      (response) => void response.socket?.end('hello\r\n\r\n'),
      { status: null, error: 'the response is not HTTP' },
    ],
    [
      'redirects',
      (response) => void response.writeHead(301, { location: '/x' }).end(),
      { status: 301, error: expect.stringContaining('redirect') },
    ],
  ])('ends in time if the target %s', async (_, answer, expected) => {
    const { url, received } = await receiver((__, ___, response) => {
      answer(response);
      return undefined;
    });
    expect(await createSend()(url)).toMatchObject(expected);
    expect(received).toHaveLength(1);
  });

  it('describes connection errors in words', async () => {
    const post = createSend();
    expect(await post('http://127.0.0.1:1')).toMatchObject({
      status: null,
      error: 'connection refused',
      reason: 'connection refused',
    });
    expect(await post('http://127.0.0.1:1', { authorization: 'Basic a\nb' })).toMatchObject({
      status: null,
      error: 'the auth token contains characters that are not allowed in a header',
    });
  });

  it('retries on a new connection if the target has closed a kept-alive one', async () => {
    let requests = 0;
    const sockets: Socket[] = [];
    const server = createServer((request, response) => {
      sockets.push(request.socket);
      requests += 1;
      // The second request on a connection comes too late, as if the target had just closed the
      // connection.
      if (sockets.filter((socket) => socket === request.socket).length > 1)
        request.socket.resetAndDestroy();
      else response.end();
    });
    const post = createSend();
    const url = `http://${await listen(server)}`;
    expect([await post(url), await post(url)]).toMatchObject([
      { status: 200, error: null },
      { status: 200, error: null },
    ]);
    expect(requests).toBe(3);
  });

  it.each([
    '127.0.0.1',
    'localhost',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0',
    '[::1]',
    '[::ffff:7f00:1]',
    '169.254.169.254',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fd00::1]',
    '10.0.0.1',
    '100.64.0.1',
  ])('to %s is rejected if private targets are not allowed', async (host) => {
    const { url, received } = await receiver();
    const { status, error } = await createSend({ allowPrivateTargets: false })(
      `http://${host}:${new URL(url).port}/`,
    );
    expect(status).toBe(null);
    expect(error).toMatch(
      / is a private address, and deliveries to private addresses are not allowed$/,
    );
    expect(received).toEqual([]);
  });
});
