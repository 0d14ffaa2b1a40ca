import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MAX_BODY_BYTES } from '../../src/service/calls/body.ts';
import type { RequestHandler } from '../../src/service/calls/request.ts';
import { startServer } from '../../src/service/server.ts';
import { SLOW } from '../slow.ts';
import { startTestService, type TestService } from './test-service.ts';

interface TestRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** Sends the body in chunks, without a content length. */
  readonly isChunked?: boolean;
}

/** Starts a service that is reachable in this process and on a port. */
async function startBothTransports() {
  const service = await startTestService();
  const server = await startServer(service.handle, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  return { service, port: Number(new URL(server.url).port) };
}

async function sendInProcess({ fetch }: TestService, sent: TestRequest): Promise<unknown> {
  const { method = 'POST', path, headers = {}, body = null, isChunked: inPieces } = sent;
  const stream = inPieces && body !== null ? new Blob([body]).stream() : body;
  const response = await fetch(`http://localhost${path}`, {
    method,
    headers,
    body: stream,
    duplex: 'half',
  });
  return [response.status, response.headers.get('content-type'), await response.text()];
}

async function sendOverHttp(
  port: number,
  { method = 'POST', path, headers, body = '', isChunked: inPieces }: TestRequest,
): Promise<unknown> {
  const length: OutgoingHttpHeaders =
    inPieces || body.length === 0 ? {} : { 'content-length': Buffer.byteLength(body) };
  const outgoing = request({
    port,
    host: '127.0.0.1',
    method,
    path,
    headers: { ...headers, ...length },
  });
  const responded = once(outgoing, 'response');
  const bytes = Buffer.from(body as string);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    outgoing.write(bytes.subarray(at, at + CHUNK_BYTES));
  outgoing.end();
  const [response] = await responded;
  return [response.statusCode, response.headers['content-type'], await text(response)];
}

const CHUNK_BYTES = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const LIST = '/v2/organizations/documents/get';
const CALL = '{"data":{"organizationId":"açme"}}';

/** Requests to a workspace. Those with `keyed` carry its API key. */
const REQUESTS: readonly (TestRequest & {
  readonly name: string;
  readonly keyed?: boolean;
  readonly status: number;
})[] = [
  { name: 'a call', path: LIST, headers: JSON_TYPE, body: CALL, keyed: true, status: 200 },
  {
    name: 'a chunked call',
    path: LIST,
    headers: JSON_TYPE,
    body: CALL,
    isChunked: true,
    keyed: true,
    status: 200,
  },
  {
    name: 'a call with a query',
    path: `${LIST}?x=1`,
    headers: JSON_TYPE,
    body: CALL,
    keyed: true,
    status: 200,
  },
  {
    name: 'a path with dots',
    path: `/v2/../v2/.${LIST.slice(3)}`,
    headers: JSON_TYPE,
    body: CALL,
    keyed: true,
    status: 200,
  },
  { name: 'a call without a key', path: LIST, headers: JSON_TYPE, body: CALL, status: 400 },
  {
    name: 'invalid input',
    path: LIST,
    headers: JSON_TYPE,
    body: '{"data":{}}',
    keyed: true,
    status: 400,
  },
  {
    name: 'malformed JSON',
    path: LIST,
    headers: JSON_TYPE,
    body: '{"data":',
    keyed: true,
    status: 400,
  },
  { name: 'no body', path: LIST, headers: JSON_TYPE, keyed: true, status: 400 },
  {
    name: 'another content type',
    path: LIST,
    headers: { 'content-type': 'text/plain' },
    body: CALL,
    keyed: true,
    status: 400,
  },
  {
    name: 'a body that is too large',
    path: LIST,
    headers: JSON_TYPE,
    body: ' '.repeat(MAX_BODY_BYTES + 1),
    keyed: true,
    status: 400,
  },
  {
    name: 'a chunked body that is too large',
    path: LIST,
    headers: JSON_TYPE,
    body: ' '.repeat(MAX_BODY_BYTES + 1),
    isChunked: true,
    keyed: true,
    status: 400,
  },
  {
    name: 'basic authentication',
    path: LIST,
    headers: { ...JSON_TYPE, authorization: 'Basic eDp5' },
    body: CALL,
    keyed: true,
    status: 401,
  },
  {
    name: 'a bearer token',
    path: LIST,
    headers: { ...JSON_TYPE, authorization: 'Bearer x' },
    body: CALL,
    keyed: true,
    status: 200,
  },
  { name: 'an unknown path', path: '/v2/nothing', headers: JSON_TYPE, body: CALL, status: 404 },
  {
    name: 'a path below an operation',
    path: `${LIST}/x`,
    headers: JSON_TYPE,
    body: CALL,
    status: 404,
  },
  {
    name: 'a path with two leading slashes',
    path: `//x${LIST}`,
    headers: JSON_TYPE,
    body: CALL,
    status: 404,
  },
  {
    name: 'another method',
    method: 'PUT',
    path: LIST,
    headers: JSON_TYPE,
    body: CALL,
    status: 400,
  },
  { name: 'HEAD', method: 'HEAD', path: LIST, status: 400 },
  { name: 'GET of an operation', method: 'GET', path: LIST, status: 400 },
  { name: 'GET of the root', method: 'GET', path: '/', status: 404 },
  { name: 'GET /healthz', method: 'GET', path: '/healthz', status: 200 },
  { name: 'HEAD /healthz', method: 'HEAD', path: '/healthz?now', status: 200 },
  { name: 'POST /healthz', path: '/healthz', headers: JSON_TYPE, body: CALL, status: 404 },
];

describe('in this process and on a port', () => {
  it.each(REQUESTS)('$name: $status', SLOW, async ({ keyed, status, ...request }) => {
    const { service, port } = await startBothTransports();
    const sent = {
      ...request,
      headers: { ...request.headers, ...(keyed && service.keyHeaders()) },
    };
    const response = await sendOverHttp(port, sent);
    expect(response).toEqual(await sendInProcess(service, sent));
    expect(response).toEqual([
      status,
      'application/json',
      request.method === 'HEAD' ? '' : expect.stringContaining('{'),
    ]);
    expect(service.reported).toEqual([]);
  });
});

describe('over HTTP', () => {
  it.each([
    ['an absolute URL', (port: number) => `http://127.0.0.1:${port}/healthz`, 200],
    ['an invalid URL', () => 'http://a b/', 400],
    ['neither a path nor a URL', () => '*', 400],
  ])('responds to a target that is %s', async (_, target, status) => {
    const { port } = await startBothTransports();
    const socket = connect(port, '127.0.0.1');
    socket.end(
      `GET ${target(port)} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`,
    );
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('a client that disconnects in the middle of a body causes no error report', async () => {
    const service = await startTestService();
    const arrival = Promise.withResolvers<void>();
    const result = Promise.withResolvers<unknown>();
    const handle: RequestHandler = async (sent) => {
      arrival.resolve();
      const response = service.handle(sent);
      result.resolve(response);
      return response;
    };
    const server = await startServer(handle, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close());
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const head = [
      'POST /v1/users/add HTTP/1.1',
      'host: localhost',
      'content-type: application/json',
    ];
    head.push(
      ...Object.entries(service.keyHeaders()).map(([name, value]) => `${name}: ${value}`),
      'content-length: 100',
    );
    socket.write(`${head.join('\r\n')}\r\n\r\n{"data":`);
    await arrival.promise;
    socket.destroy();
    expect(await result.promise).toMatchObject({ status: 400 });
    expect(service.reported).toEqual([]);
  });
});
