import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFetchTransport } from '../../src/client/fetch-transport.ts';
import { createHttpTransport } from '../../src/client/http-transport.ts';
import { createNetworkFailure } from '../../src/client/network-failure.ts';
import type { WireRequest } from '../../src/client/request.ts';
import type { Transport } from '../../src/client/transport.ts';
import { listen } from '../listen.ts';
import { overHttp } from './client-fixture.ts';

const request = (baseUrl: string): WireRequest => ({
  url: `${baseUrl}/base/v1/users/add`,
  headers: { accept: 'application/json', 'content-type': 'application/json' },
  credentials: { 'x-svc-api-key': 'key-1' },
  body: '{"data":"ü"}',
});

const served = async (server: Server) => `http://${await listen(server)}`;

/** A server that responds to each request with raw bytes. */
function rawServer(answer: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        if (bytes.toString().endsWith('}')) answer(socket);
      });
  });
  return served(server);
}

const httpServer = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  served(createServer(answer));

const overNetwork = (attemptTimeout = 30_000) => overHttp(attemptTimeout);

/** Uses `fetch`, a mature implementation, as the reference. */
const byFetch = createFetchTransport(globalThis.fetch, 30_000);

const COMPARED_HEADERS = ['retry-after', 'location', 'x'];

/** The response, or the failure of the request. */
async function outcomeOf(transport: Transport, baseUrl: string): Promise<unknown> {
  try {
    const { header, ...outcome } = await transport(request(baseUrl), undefined);
    return { ...outcome, headers: COMPARED_HEADERS.map((name) => header?.(name)) };
  } catch (error) {
    const { applied, retry, error: said } = createNetworkFailure(error, 'host');
    return { applied, retry, message: said.message };
  }
}

const head = (headers: string, status = '200 OK') => `HTTP/1.1 ${status}\r\n${headers}\r\n\r\n`;
const whole = (body: string | Buffer, headers = '') =>
  Buffer.concat([
    Buffer.from(head(`content-length: ${Buffer.byteLength(body)}${headers}`)),
    Buffer.from(body),
  ]);
const JSON_BODY = '{"result":{"status":"success","data":{"ü":{"success":true}}}}';

describe('a response is the same as with fetch', () => {
  it.each<[string, (string | Buffer)[], 'close'?]>([
    ['whole', [whole(JSON_BODY)]],
    ['in parts, a character cut in two', [whole('"ü"').subarray(0, -2), whole('"ü"').subarray(-2)]],
    ['in chunks', [head('transfer-encoding: chunked'), '3\r\n"ab\r\n', '2\r\nc"\r\n0\r\n\r\n']],
    ['ended by the end of the connection', [head('connection: close'), JSON_BODY], 'close'],
    ['of HTTP/1.0', ['HTTP/1.0 200 OK\r\n\r\n', JSON_BODY], 'close'],
    ['with a byte order mark', [whole(`\uFEFF${JSON_BODY}`)]],
    ['not UTF-8', [whole(Buffer.from([0x22, 0xff, 0x22]))]],
    ['empty', [whole('')]],
    ['without a body', [head('x: y', '204 No Content')]],
    [
      'a redirect',
      [head('location: http://other.test/\r\ncontent-length: 0', '307 Temporary Redirect')],
    ],
    ['a rate limit', [head('retry-after: 7\r\ncontent-length: 0', '429 Too Many Requests')]],
    ['a failure', [head('content-length: 6', '502 Bad Gateway'), '<html>']],
    ['after early hints', [head('link: </a>', '103 Early Hints'), whole(JSON_BODY)]],
    ['compressed by gzip', [whole(gzipSync(JSON_BODY), '\r\ncontent-encoding: GZIP')]],
    ['compressed by deflate', [whole(deflateSync(JSON_BODY), '\r\ncontent-encoding: deflate')]],
    ['identity', [whole(JSON_BODY, '\r\ncontent-encoding: identity')]],
    ['cut short of its length', [whole(JSON_BODY).subarray(0, -5)], 'close'],
    ['cut in its chunks', [head('transfer-encoding: chunked'), '3\r\n"ab\r\n'], 'close'],
    ['cut in its head', ['HTTP/1.1 200 O'], 'close'],
    ['missing', [], 'close'],
    ['with too large a head', [head(`x: ${'y'.repeat(100_000)}`)]],
    [
      'with an impossible length',
      [head('content-length: 5\r\ncontent-length: 6'), '123456'],
      'close',
    ],
  ])('%s', async (_, parts, ending) => {
    const url = await rawServer(async (socket) => {
      for (const part of parts) {
        socket.write(part);
        if (parts.length > 1) await sleep(5);
      }
      if (ending === 'close') socket.end();
    });
    expect(await outcomeOf(overNetwork(), url)).toEqual(await outcomeOf(byFetch, url));
  });

  it('if the response is not HTTP', async () => {
    const url = await rawServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    expect(await outcomeOf(overNetwork(), url)).toEqual({
      applied: 'maybe',
      retry: 'by_effect',
      message: 'no usable response from host: the response is not HTTP',
    });
  });

  it('if the server supports only HTTP/2, so that the request was not applied', async () => {
    for (const settings of [
      '000000040000000000',
      '00000c04000000000000030000006400040010000000000408000000000000',
    ]) {
      const url = await rawServer((socket) => void socket.end(Buffer.from(settings, 'hex')));
      expect(await outcomeOf(overNetwork(), url)).toEqual({
        applied: 'no',
        retry: 'never',
        message: 'host supports only HTTP/2, but svc uses HTTP/1.1',
      });
    }
  });

  it('if the encoding is unsupported', async () => {
    const url = await rawServer(
      (socket) => void socket.write(whole('xyz', '\r\ncontent-encoding: zstd')),
    );
    expect(await outcomeOf(overNetwork(), url)).toMatchObject({
      body: { flaw: expect.stringContaining('unsupported encoding') },
    });
  });

  it('if the compressed body is damaged or truncated', async () => {
    const gzipped = gzipSync(JSON_BODY);
    for (const body of [Buffer.from('no gzip'), gzipped.subarray(0, -9)]) {
      const url = await rawServer(
        (socket) => void socket.write(whole(body, '\r\ncontent-encoding: gzip')),
      );
      expect(await outcomeOf(overNetwork(), url)).toMatchObject({
        applied: 'maybe',
        retry: 'by_effect',
      });
    }
  });

  it('if no server is listening', async () => {
    const url = await rawServer(() => undefined);
    const closed = createTcpServer();
    const gone = await served(closed);
    closed.close();
    expect(await outcomeOf(overNetwork(), gone)).toMatchObject({ applied: 'no', retry: 'unsent' });
    expect(await outcomeOf(overNetwork(), gone)).toEqual(await outcomeOf(byFetch, gone));
    expect(url).not.toBe(gone);
  });
});

describe('a request', () => {
  it('sends the same bytes as fetch', async () => {
    const seen: {
      url?: string | undefined;
      method?: string | undefined;
      body: string;
      headers: object;
    }[] = [];
    const url = await httpServer((incoming, response) => {
      let body = '';
      incoming.on('data', (chunk) => {
        body += chunk;
      });
      incoming.on('end', () => {
        const {
          accept,
          host,
          'content-type': type,
          'x-svc-api-key': key,
          'content-length': length,
        } = incoming.headers;
        const { url: path, method } = incoming;
        seen.push({ url: path, method, body, headers: { accept, host, type, key, length } });
        response.end('{}');
      });
    });
    await overNetwork()(request(url));
    await byFetch(request(url));
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[0]).toMatchObject({
      url: '/base/v1/users/add',
      method: 'POST',
      body: '{"data":"ü"}',
    });
  });

  it('uses a new connection after the last one was closed', async () => {
    const url = await rawServer((socket) => void socket.end(whole('{}', '\r\nconnection: close')));
    const transport = overNetwork();
    for (let sent = 0; sent < 3; sent += 1)
      expect(await transport(request(url))).toMatchObject({ httpStatus: 200 });
  });
});

describe('connections', () => {
  it('number at most 32, and are reused', async () => {
    const REQUESTS = 200;
    let [answered, most, connections] = [0, 0, 0];
    let held: ServerResponse[] = [];
    // Responses wait until as many requests as possible are in flight, however slow the machine is.
    const server = createServer((_, response) => {
      held.push(response);
      most = Math.max(most, held.length);
      if (held.length < Math.min(32, REQUESTS - answered)) return;
      setTimeout(() => {
        for (const each of held) each.end('{}');
        answered += held.length;
        held = [];
      }, 20);
    }).on('connection', () => {
      connections += 1;
    });
    const url = await served(server);
    const transport = overNetwork();
    await Promise.all(Array.from({ length: REQUESTS }, () => transport(request(url))));
    expect(most).toBe(32);
    expect(connections).toBe(32);
  });

  it('are reused while the service keeps them open', async () => {
    let connections = 0;
    const server = createServer((_, response) => void response.end('{}')).on('connection', () => {
      connections += 1;
    });
    const url = await served(server);
    const transport = overNetwork();
    for (let sent = 0; sent < 5; sent += 1) await transport(request(url));
    expect(connections).toBe(1);
  });

  it('that do not open in time are abandoned, and nothing was sent', async () => {
    const url = (await rawServer(() => undefined)).replace('http', 'https');
    const { transport, close } = createHttpTransport({ attemptTimeout: 5_000, connectTimeout: 50 });
    onTestFinished(close);
    expect(await outcomeOf(transport, url)).toMatchObject({
      applied: 'no',
      retry: 'unsent',
      message: expect.stringContaining('cannot reach host'),
    });
  });
});

describe('the time limit of an attempt', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['no answer', () => undefined],
    ['half an answer', (socket) => void socket.write(head('content-length: 99'))],
    [
      'an answer that drips in',
      (socket) => {
        socket.write(head('content-length: 999999'));
        const timer = setInterval(() => socket.write('x'), 5);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('ends %s, and closes the connection', async (_, answer) => {
    const closed = Promise.withResolvers<void>();
    const url = await rawServer((socket) => {
      socket.on('close', () => closed.resolve());
      answer(socket);
    });
    // Long enough to connect on a busy machine: only an accepted connection is seen to close.
    const transport = overNetwork(500);
    const outcomes = await Promise.all([outcomeOf(transport, url), outcomeOf(transport, url)]);
    const timeout = {
      applied: 'maybe',
      retry: 'by_effect',
      message: 'no usable response from host: no response within 0.5 s',
    };
    expect(outcomes).toEqual([timeout, timeout]);
    await closed.promise;
  });

  it('applies to each request separately', async () => {
    let first = true;
    const url = await httpServer((_, response) => {
      if (!first) response.end('{}');
      first = false;
    });
    const transport = overNetwork(80);
    const hanging = outcomeOf(transport, url);
    for (let sent = 0; sent < 6; sent += 1) {
      await sleep(20);
      expect(await transport(request(url))).toMatchObject({ httpStatus: 200 });
    }
    expect(await hanging).toMatchObject({ applied: 'maybe' });
  });
});

describe('a signal', () => {
  it.each(['before the answer', 'within the answer'])(
    "ends a request %s with the signal's reason",
    async (when) => {
      const arrived = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      const url = await rawServer((socket) => {
        if (when === 'within the answer') socket.write(head('content-length: 99'));
        socket.on('close', () => closed.resolve());
        arrived.resolve();
      });
      const stop = new AbortController();
      const reply = overNetwork()(request(url), stop.signal);
      const failed = expect(reply).rejects.toThrow('stopped');
      await arrived.promise;
      stop.abort(new Error('stopped'));
      await failed;
      await closed.promise;
    },
  );

  it('that has already aborted prevents the request', async () => {
    let requests = 0;
    const url = await rawServer(() => {
      requests += 1;
    });
    const transport = overNetwork();
    await expect(transport(request(url), AbortSignal.abort(new Error('stopped')))).rejects.toThrow(
      'stopped',
    );
    const stop = new AbortController();
    const queued = transport(request(url), stop.signal);
    stop.abort(new Error('stopped'));
    await expect(queued).rejects.toThrow('stopped');
    await sleep(30);
    expect(requests).toBe(0);
  });
});
