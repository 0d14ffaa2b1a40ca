import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPoster, type PosterOptions } from '../../../src/service/deliveries/post.ts';
import { listen } from '../../listen.ts';
import { receiver } from './receiver.ts';

function posting(options: Partial<PosterOptions> = {}) {
  const poster = createPoster({ privateTargets: true, timeout: 400, ...options });
  onTestFinished(() => poster.close());
  return (url: string, headers = {}) => poster.post({ url, headers, body: '{"ü":1}' });
}

describe('posting', () => {
  it.each([200, 204, 299, 400, 500])('answers with the status: %d', async (status) => {
    const { url, received } = await receiver(() => status);
    expect(await posting()(url)).toEqual({ status, error: null });
    expect(received[0]).toMatchObject({ body: '{"ü":1}', headers: { 'content-length': '8' } });
  });

  it.each<[string, (response: ServerResponse) => void, object]>([
    ['never answers', () => undefined, { status: null, error: 'no answer in 0.4 s' }],
    ['answers and never ends', (response) => void response.writeHead(200).write('x'), { status: 200 }],
    [
      'sends without end',
      (response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'.repeat(100_000)), 1);
        response.on('close', () => clearInterval(timer));
      },
      { status: 200 },
    ],
    [
      'breaks off',
      (response) => void response.socket?.destroy(),
      { status: null, error: 'the connection was closed before the answer was complete' },
    ],
    [
      'speaks no HTTP',
      (response) => void response.socket?.end('hello\r\n\r\n'),
      { status: null, error: 'it is not HTTP' },
    ],
    [
      'redirects',
      (response) => void response.writeHead(301, { location: '/x' }).end(),
      { status: 301, error: expect.stringContaining('redirect') },
    ],
  ])('to one that %s ends in time', async (_, answer, expected) => {
    const { url, received } = await receiver((__, ___, response) => {
      answer(response);
      return undefined;
    });
    expect(await posting()(url)).toMatchObject(expected);
    expect(received).toHaveLength(1);
  });

  it('says in words what kept it from connecting', async () => {
    const post = posting();
    expect(await post('http://127.0.0.1:1')).toEqual({ status: null, error: 'connection refused' });
    expect(await post('http://127.0.0.1:1', { authorization: 'Basic a\nb' })).toEqual({
      status: null,
      error: 'the auth token cannot stand in a header',
    });
  });

  it('sends once more where the other side had closed a connection that was kept open', async () => {
    let requests = 0;
    const sockets: Socket[] = [];
    const server = createServer((request, response) => {
      sockets.push(request.socket);
      requests += 1;
      // The second request on a connection comes too late, as it does where the other side has just closed it.
      if (sockets.filter((socket) => socket === request.socket).length > 1) request.socket.resetAndDestroy();
      else response.end();
    });
    const post = posting();
    const url = `http://${await listen(server)}`;
    expect([await post(url), await post(url)]).toEqual([
      { status: 200, error: null },
      { status: 200, error: null },
    ]);
    expect(requests).toBe(3);
  });

  it.each([
    ...['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '0177.0.0.1', '0', '[::1]', '[::ffff:7f00:1]'],
    ...['169.254.169.254', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[fd00::1]', '10.0.0.1', '100.64.0.1'],
  ])('to %s is refused where private targets are', async (host) => {
    const { url, received } = await receiver();
    const { status, error } = await posting({ privateTargets: false })(`http://${host}:${new URL(url).port}/`);
    expect(status).toBe(null);
    expect(error).toMatch(/ is a private address, which deliveries may not reach$/);
    expect(received).toEqual([]);
  });
});
