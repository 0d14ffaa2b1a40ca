import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authTokens } from '../../src/catalog/auth-tokens.ts';
import { defineOperation } from '../../src/catalog/define.ts';
import { webhookEndpoints } from '../../src/catalog/webhook-endpoints.ts';
import type { Client } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/fetch-transport.ts';
import { SLOW } from '../slow.ts';
import {
  addThings,
  errorOf,
  listThings,
  newClient,
  OPERATIONS,
  overHttp,
  target,
  thing,
} from './client-fixture.ts';

type Answer = (response: ServerResponse) => void;

let server: Server;
let baseUrl: string;
let answer: Answer;
let requests: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const send =
  (body: string | Buffer, http = 200, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(http, headers).end(body);
  };
const sendJson = (body: unknown, http = 200) =>
  send(JSON.stringify(body), http, { 'content-type': 'application/json' });
const html = (http: number) =>
  send('<!doctype html><h1>Sorry</h1>', http, { 'content-type': 'text/html' });
const error = (status: string, http: number) =>
  sendJson({ error: { status, message: 'it says' } }, http);
const data = { id: 'a' };
const whole = JSON.stringify({ result: { status: 'success', message: 'ok', data } });

/** The transports of a call: over the network, and over `fetch`. */
const WAYS = {
  http: overHttp,
  fetch: (attemptTimeout: number) => createFetchTransport(globalThis.fetch, attemptTimeout),
} as const;

function client(way: keyof typeof WAYS = 'http', attemptTimeout = 30_000): Client {
  requests = 0;
  return newClient({ transport: WAYS[way](attemptTimeout), target: target(baseUrl), maxWait: 0 })
    .client;
}

/** Raw bytes on the wire, which may not be valid HTTP. */
const raw =
  (text: string, end = true): Answer =>
  ({ socket }) => {
    socket?.write(text.replaceAll('\n', '\r\n'));
    if (end) socket?.end();
  };

/**
 * The outcome of a response: the exit codes of a read and of a write, and the number of read
 * attempts.
 */
const UNUSABLE: readonly [
  name: string,
  answer: Answer,
  read: number,
  write: number,
  sent: number | readonly number[],
][] = [
  ['an HTML page', html(200), 8, 9, 1],
  ['an empty body', send(''), 8, 9, 1],
  ['only blanks', send(' \n '), 8, 9, 1],
  ['204 without a body', send('', 204), 8, 9, 1],
  ['plain text', send('OK'), 8, 9, 1],
  ['JSON cut in the middle', send(whole.slice(0, -9)), 8, 9, 1],
  ['JSON with something behind it', send(`${whole}}`), 8, 9, 1],
  ['two JSON documents', send(whole + whole), 8, 9, 1],
  ['a number', sendJson(42), 8, 9, 1],
  ['a text', sendJson('success'), 8, 9, 1],
  ['true', sendJson(true), 8, 9, 1],
  ['null', sendJson(null), 8, 9, 1],
  ['an array where an object is due', sendJson([data]), 8, 9, 1],
  ['an empty object', sendJson({}), 8, 9, 1],
  ['result null', sendJson({ result: null }), 8, 9, 1],
  ['result a text', sendJson({ result: 'success' }), 8, 9, 1],
  ['result an array', sendJson({ result: [data] }), 8, 9, 1],
  ['result empty', sendJson({ result: {} }), 8, 9, 1],
  ['data of another type', sendJson({ result: { status: 'success', data: 'a' } }), 8, 9, 1],
  [
    'data that lacks its id',
    sendJson({ result: { status: 'success', data: { name: 'a' } } }),
    8,
    9,
    1,
  ],
  ['an id that is a number', sendJson({ result: { status: 'success', data: { id: 1 } } }), 8, 9, 1],
  ['a result that says error', sendJson({ result: { status: 'error', message: 'no' } }), 8, 9, 1],
  ['a result whose status is a number', sendJson({ result: { status: 200, data } }), 8, 9, 1],
  ['a result whose status is null', sendJson({ result: { status: null, data } }), 8, 9, 1],
  ['an unwrapped failure', sendJson({ status: 'failed', message: 'no' }), 8, 9, 1],
  ['an error null', sendJson({ error: null, result: { status: 'success', data } }), 8, 9, 1],
  ['an error without words', sendJson({ error: {} }), 8, 9, 1],
  ['an error array', sendJson({ error: [1, 2] }), 8, 9, 1],
  ['an error that is a text', sendJson({ error: 'boom' }), 8, 9, 1],
  ['an unknown status word', error('TEAPOT', 200), 8, 9, 1],
  ['an unknown status word with HTTP 418', error('TEAPOT', 418), 8, 9, 1],
  ['a status word from Object.prototype', error('constructor', 200), 8, 9, 1],
  ['a status that is an object', sendJson({ error: { status: { a: 1 }, message: {} } }), 8, 9, 1],
  ['500 with a success in it', send(whole, 500), 8, 9, 3],
  ['404 with a success in it', send(whole, 404), 8, 9, 1],
  ['a 502 page of a proxy', html(502), 8, 9, 8],
  ['a 503 page of a proxy', html(503), 8, 9, 8],
  ['an empty 500', send('', 500), 8, 9, 3],
  ['an HTTP status nobody knows', send('', 599), 8, 9, 3],
  ['a 404 page of a proxy', html(404), 8, 9, 1],
  ['a 400 page of a proxy', html(400), 8, 9, 1],
  ['a 413 page of a proxy', html(413), 8, 9, 1],
  ['a login page of a proxy', html(401), 4, 9, 1],
  ['a firewall page', html(403), 4, 9, 1],
  ['a rate limit page', html(429), 7, 9, 1],
  ['a redirect', send('', 302, { location: 'https://elsewhere.example.test/' }), 8, 9, 1],
  [
    'a redirect that keeps the method',
    send('', 307, { location: 'https://elsewhere.example.test/' }),
    8,
    9,
    1,
  ],
  ['a redirect to nowhere', send(whole, 301), 8, 9, 1],
  ['not modified', send('', 304), 8, 9, 1],
  ['bytes that are not UTF-8', send(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), 8, 9, 1],
  ['UTF-16', send(Buffer.from(whole, 'utf16le')), 8, 9, 1],
  ['UTF-8 cut in a character', send(Buffer.from('"é').subarray(0, 2)), 8, 9, 1],
  [
    'a success with something deep beside its data',
    send(
      `{"result":{"status":"success","data":{"id":"a","x":${'['.repeat(500)}${']'.repeat(500)}}}}`,
    ),
    8,
    9,
    1,
  ],
  ['nesting without end', send('['.repeat(200_000)), 8, 9, 1],
  ['deep but complete nesting', send(`${'['.repeat(5_000)}${']'.repeat(5_000)}`), 8, 9, 1],
  [
    'nesting inside a success',
    send(`{"result":{"status":"success","data":${'{"id":'.repeat(600)}1${'}'.repeat(601)}}`),
    8,
    9,
    1,
  ],
  ['invalid gzip', send(whole, 200, { 'content-encoding': 'gzip' }), 8, 9, 3],
  [
    'gzip cut short',
    send(gzipSync(whole).subarray(0, 30), 200, { 'content-encoding': 'gzip' }),
    8,
    9,
    [1, 3],
  ],
  [
    'a body shorter than announced',
    (response) => {
      response.writeHead(200, { 'content-length': '500' }).write(whole);
      setImmediate(() => response.destroy());
    },
    8,
    9,
    3,
  ],
  ['NaN', send('{"result":{"status":"success","data":NaN}}'), 8, 9, 1],
  ['single quotes', send("{'result':{}}"), 8, 9, 1],
  ['a comment in JSON', send(`/* ok */ ${whole}`), 8, 9, 1],
  ['two byte order marks', send(`\ufeff\ufeff${whole}`), 8, 9, 1],
  ['JSON lines', send(`${whole}\n${whole}\n`), 8, 9, 1],
  [
    'two results, of which the last is invalid',
    send('{"result":{"data":{"id":"a"}},"result":7}'),
    8,
    9,
    1,
  ],
  [
    'an error behind a success',
    send(`${whole.slice(0, -1)},"error":{"status":"INTERNAL"}}`, 200),
    8,
    9,
    3,
  ],
  [
    'data behind __proto__',
    send('{"result":{"status":"success","__proto__":{"data":{"id":"a"}}}}', 418),
    8,
    9,
    1,
  ],
  ['205', send('', 205), 8, 9, 1],
  ['part of a document', send(whole.slice(0, 20), 206), 8, 9, 1],
  ['multiple choices', send(whole, 300, { location: '/elsewhere' }), 8, 9, 1],
  ['a redirect to a script', send('', 302, { location: 'javascript:alert(1)' }), 8, 9, 1],
  ['a redirect to itself', send('', 308, { location: '/v2/things' }), 8, 9, 1],
  [
    'a redirect with a password in it',
    send('', 302, { location: 'https://u:pw@e.example.test/?t=1' }),
    8,
    9,
    1,
  ],
  [
    'protocols switched',
    raw('HTTP/1.1 101 Switching\nupgrade: x\nconnection: upgrade\n\n'),
    8,
    9,
    3,
  ],
  ['early hints, and then nothing', raw('HTTP/1.1 103 Early Hints\nlink: <x>\n\n'), 8, 9, 3],
  ['chunks that are cut', raw('HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n5\n{"res'), 8, 9, 3],
  [
    'chunks without a size',
    raw('HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\nzz\n{}\n0\n\n'),
    8,
    9,
    3,
  ],
  ['an invalid length', raw('HTTP/1.1 200 OK\ncontent-length: many\n\n{}'), 8, 9, 3],
  ['two lengths', raw('HTTP/1.1 200 OK\ncontent-length: 2\ncontent-length: 9\n\n{}'), 8, 9, 3],
  ['a status line without a number', raw('HTTP/1.1 OK\n\n'), 8, 9, 3],
  ['HTTP of another age', raw('HTTP/9.9 200 OK\n\n{}'), 8, 9, 3],
  ['thousands of headers', raw(`HTTP/1.1 200 OK\n${'x: y\n'.repeat(8_400)}\n`), 8, 9, 3],
  ['a hang-up without a word', (response) => response.socket?.destroy(), 8, 9, 3],
  ['a reset', (response) => response.socket?.resetAndDestroy(), 8, 9, 3],
  [
    'what is not HTTP',
    (response) => response.socket?.end('220 mail.example.test ESMTP\r\n'),
    8,
    9,
    3,
  ],
  [
    'a header that never ends',
    (response) => response.socket?.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`),
    8,
    9,
    3,
  ],
];

const BOMB = gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '), { level: 1 });

describe.each(['http', 'fetch'] as const)('an unusable response over %s', (way) => {
  it.each(UNUSABLE)('%s', async (_, hostile, read, write, sent) => {
    answer = hostile;
    const readError = await errorOf(client(way).send(OPERATIONS.read, {}));
    expect([sent].flat()).toContain(requests);
    const writeError = await errorOf(client(way).send(OPERATIONS.once, {}));
    expect(requests).toBe(1);
    expect([readError.exitCode, writeError.exitCode]).toEqual([read, write]);
    expect(readError.message).not.toMatch(/undefined|\[object|\n/);
  });

  it.each([502, 503, 504, 520, 522, 527, 530])(
    'with HTTP %i is from a proxy, not from a wrong address',
    async (http) => {
      answer = html(http);
      const { message, hint } = await errorOf(client(way).send(OPERATIONS.read, {}));
      const { host } = new URL(baseUrl);
      expect(message).toBe(`the proxy at ${host} did not reach the service (HTTP ${http})`);
      expect(hint).not.toContain('base URL');
    },
  );

  it.each([500, 599])('with HTTP %i is not from a wrong address', async (http) => {
    answer = html(http);
    const { hint } = await errorOf(client(way).send(OPERATIONS.read, {}));
    expect(hint).toMatch(/^the service or a proxy in front of it failed/);
  });

  it('that is a gzip bomb leaves the outcome of a write unknown', SLOW, async () => {
    answer = send(BOMB, 200, { 'content-encoding': 'gzip' });
    const { exitCode, message } = await errorOf(client(way).send(OPERATIONS.once, {}));
    expect([exitCode, requests]).toEqual([9, 1]);
    expect(message).not.toMatch(/undefined|\[object|\n/);
  });

  it('that arrives too slowly ends with the attempt', async () => {
    answer = (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(drip));
    };
    const error = await errorOf(client(way, 150).send(OPERATIONS.once, {}));
    expect(error).toMatchObject({
      exitCode: 9,
      message: expect.stringContaining('no response within 0.15 s'),
    });
  });

  it('is covered by at least 80 cases', () => expect(UNUSABLE.length).toBeGreaterThanOrEqual(80));
});

/** The status of the service takes precedence over the HTTP status. */
const SAID: readonly [status: string, http: number, exitCode: number][] = [
  ['INVALID_ARGUMENT', 400, 3],
  ['OUT_OF_RANGE', 400, 3],
  ['FAILED_PRECONDITION', 400, 6],
  ['UNAUTHENTICATED', 401, 4],
  ['PERMISSION_DENIED', 403, 4],
  ['NOT_FOUND', 404, 5],
  ['ALREADY_EXISTS', 409, 3],
  ['RESOURCE_EXHAUSTED', 429, 7],
  ['ABORTED', 409, 8],
  ['CANCELLED', 499, 9],
  ['INTERNAL', 500, 9],
  ['UNKNOWN', 500, 9],
  ['DATA_LOSS', 500, 9],
  ['UNIMPLEMENTED', 501, 8],
  ['UNAVAILABLE', 503, 9],
  ['DEADLINE_EXCEEDED', 504, 9],
];

describe('the status of an error', () => {
  it.each(SAID)(
    '%s decides, with HTTP %i or any other HTTP status',
    async (status, http, exitCode) => {
      for (const httpStatus of [http, 200, 400, 500]) {
        answer = error(status, httpStatus);
        const thrown = await errorOf(client().call(OPERATIONS.once, {}));
        expect([httpStatus, thrown.exitCode]).toEqual([httpStatus, exitCode]);
        expect(thrown.status).toBe(status);
        expect(thrown.message).toBe('it says');
      }
    },
  );

  it.each(
    SAID.filter(
      ([status]) =>
        !['OUT_OF_RANGE', 'FAILED_PRECONDITION', 'UNKNOWN', 'DATA_LOSS', 'ALREADY_EXISTS'].includes(
          status,
        ),
    ),
  )(
    'is %s where an error of HTTP %i names none, and only a client error is a refusal',
    async (_, http, exitCode) => {
      answer = sendJson({ error: { message: 'it says' } }, http);
      const codeOfRead = exitCode === 9 ? 8 : exitCode;
      expect((await errorOf(client().call(OPERATIONS.read, {}))).exitCode).toBe(codeOfRead);
      const codeOfWrite = http < 500 ? exitCode : 9;
      expect((await errorOf(client().call(OPERATIONS.once, {}))).exitCode).toBe(codeOfWrite);
    },
  );

  it.each([
    ['a name', { code: 'not-found' }, 404, 5],
    ['a name with a prefix', { code: 'service/permission-denied', message: 'no' }, 400, 4],
    ['a number of gRPC', { code: 6, message: 'taken' }, 400, 3],
    ['a number of HTTP', { code: 404, message: 'no such path' }, 404, 5],
    ['an unknown number', { code: 4711, message: 'no' }, 422, 3],
    ['a number that would leave a client error open', { code: 1, message: 'no' }, 400, 3],
    ['no code, for a conflict', { message: 'The workspace already exists.' }, 409, 3],
    ['no code, for a timeout', { message: 'too slow' }, 408, 9],
    ['an unknown name without a message', { code: 'E17' }, 404, 9],
    ['a name, for a server error', { code: 'internal', message: 'no' }, 500, 9],
  ])('may be in its code: %s', async (_, body, http, exitCode) => {
    answer = sendJson({ error: body }, http);
    expect((await errorOf(client().call(OPERATIONS.once, {}))).exitCode).toBe(exitCode);
  });

  it('includes a numeric code and the first issue, but does not depend on them', async () => {
    const issues = [
      { code: 'invalid_type', path: ['data', 'users', 0, 'userId'], message: 'Required' },
    ];
    answer = sendJson(
      { error: { status: 'INVALID_ARGUMENT', message: 'Bad', code: 5, details: { issues } } },
      400,
    );
    const thrown = await errorOf(client().call(OPERATIONS.read, {}));
    expect(thrown.message).toBe('Bad [code 5]');
    expect(thrown.hint).toBe('data.users.0.userId: Required');
  });

  it('is not repeated by its hint', async () => {
    const message = 'pageToken: not a page token';
    const issues = [{ code: 'custom', path: ['pageToken'], message: 'not a page token' }];
    answer = sendJson({ error: { status: 'INVALID_ARGUMENT', message, details: { issues } } }, 400);
    expect(await errorOf(client().call(OPERATIONS.read, {}))).toMatchObject({
      message,
      hint: undefined,
    });
  });

  it('truncates a message of a megabyte', async () => {
    answer = sendJson({ error: { status: 'NOT_FOUND', message: 'x'.repeat(1e6) } }, 404);
    expect((await errorOf(client().call(OPERATIONS.read, {}))).message.length).toBeLessThan(2_000);
  });
});

describe('the hint of data with another form', () => {
  const status = 'success';
  it.each([
    ['blames the service in its own envelope', { result: { status, data: 'a' } }, /operator/],
    ['is about the base URL otherwise', { status, data: 'a' }, /base URL/],
  ])('%s', async (_, body, hint) => {
    answer = sendJson(body);
    const failed = await errorOf(client().call(OPERATIONS.read, {}));
    expect(String(failed.hint)).toMatch(hint);
  });
});

describe('a success', () => {
  const SUCCESSES: readonly [name: string, answer: Answer, data: unknown][] = [
    ['in its envelope', send(whole), data],
    ['behind a byte order mark', send(`\ufeff${whole}`), data],
    ['called HTML', send(whole, 200, { 'content-type': 'text/html' }), data],
    ['with HTTP 201', send(whole, 201), data],
    ['compressed', send(gzipSync(whole), 200, { 'content-encoding': 'gzip' }), data],
    ['without data', sendJson({ result: { status: 'success', message: 'done' } }), null],
    ['with data null', sendJson({ result: { status: 'success', data: null } }), null],
    ['without a status', sendJson({ result: { data } }), data],
    ['without the result wrapper', sendJson({ status: 'success', message: 'ok', data }), data],
    ['as the bare data', sendJson(data), data],
    [
      'with fields nobody knows',
      sendJson({ result: { status: 'success', data: { ...data, x: { y: 1 } } } }),
      { ...data, x: { y: 1 } },
    ],
  ];

  it.each(SUCCESSES)('%s', async (_, friendly, expected) => {
    answer = friendly;
    const reply = await client().call(OPERATIONS.read, {});
    expect(reply).toMatchObject({ sent: true, retries: 0 });
    expect(reply.sent && reply.data).toEqual(expected);
  });

  it('may be a bare array', async () => {
    answer = sendJson([data]);
    expect(await client().call(listThings, {})).toMatchObject({ data: [data] });
  });

  it('keeps every ID of a bulk response, including malformed items', async () => {
    const items =
      '{"10":{"success":true},"9":{"success":"true"},"__proto__":{"success":true},"constructor":7}';
    answer = send(`{"result":{"status":"success","data":${items}}}`);
    const reply = await client().call(addThings, { things: [{ id: '9' }] });
    expect(reply.sent && new Set(Object.keys(reply.data ?? {}))).toEqual(
      new Set(['10', '9', '__proto__', 'constructor']),
    );
  });

  it('may lack fields if at least one known field is present and all types match', async () => {
    const { 'webhooks.endpoints.create': create, 'webhooks.endpoints.secret': secret } =
      webhookEndpoints;
    const reply = async (answered: unknown) => {
      answer = sendJson({ result: { status: 'success', data: answered } });
      return client().call(create, { url: 'https://example.com', uid: 'u' });
    };
    expect(await reply({ id: 'ep_1', url: 'https://example.com' })).toMatchObject({
      data: { id: 'ep_1' },
    });
    for (const odd of [
      {},
      { other: 1 },
      { id: 7 },
      { id: 'ep_1', disabled: 'no' },
      { id: 'ep_1', url: null },
    ]) {
      expect(await errorOf(reply(odd)), JSON.stringify(odd)).toMatchObject({
        failure: 'outcome_unknown',
      });
    }
    answer = sendJson({ result: { status: 'success', data: { endpointId: 'ep_1' } } });
    const lacksSecret = client().call(secret, { endpointId: 'ep_1' });
    expect(await errorOf(lacksSecret)).toMatchObject({ failure: 'invalid_response' });
  });

  it('may lack every field of a new auth token except the token', async () => {
    answer = sendJson({ result: { status: 'success', data: { newAuthToken: { token: 'new' } } } });
    const reply = await client().call(authTokens['auth-tokens.reset'], { apiKey: 'K' });
    expect(reply).toMatchObject({ data: { newAuthToken: { token: 'new' } } });
  });

  it('must contain data if the operation reveals a secret', async () => {
    answer = sendJson({ result: { status: 'success', data: null } });
    const reset = defineOperation('things.call', {
      ...thing,
      effect: 'once',
      revealsSecrets: true,
    });
    expect((await errorOf(client().call(reset, {}))).failure).toBe('outcome_unknown');
  });
});
