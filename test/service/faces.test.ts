import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LARGEST_BODY } from '../../src/service/body.ts';
import type { Answerer } from '../../src/service/request.ts';
import { startServer } from '../../src/service/server.ts';
import { serviceWorld, type World } from './world.ts';

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** The body comes in pieces, without its length. */
  readonly inPieces?: boolean;
}

/** A service that can be asked in this process and on a port. */
async function bothFaces() {
  const world = await serviceWorld();
  const server = await startServer(world.answer, { host: '127.0.0.1', port: 0 });
  onTestFinished(() => server.close());
  return { world, port: Number(new URL(server.url).port) };
}

async function inProcess({ fetch }: World, sent: Sent): Promise<unknown> {
  const { method = 'POST', path, headers = {}, body = null, inPieces } = sent;
  const stream = inPieces && body !== null ? new Blob([body]).stream() : body;
  const response = await fetch(`http://localhost${path}`, { method, headers, body: stream, duplex: 'half' });
  return [response.status, response.headers.get('content-type'), await response.text()];
}

async function overPort(port: number, { method = 'POST', path, headers, body = '', inPieces }: Sent): Promise<unknown> {
  const length: OutgoingHttpHeaders =
    inPieces || body.length === 0 ? {} : { 'content-length': Buffer.byteLength(body) };
  const sending = request({ port, host: '127.0.0.1', method, path, headers: { ...headers, ...length } });
  const answered = once(sending, 'response');
  const bytes = Buffer.from(body as string);
  for (let at = 0; at < bytes.length; at += PIECE) sending.write(bytes.subarray(at, at + PIECE));
  sending.end();
  const [response] = await answered;
  return [response.statusCode, response.headers['content-type'], await text(response)];
}

const PIECE = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const LIST = '/v2/organizations/documents/get';
const CALL = '{"data":{"organizationId":"açme"}}';

/** Requests to a workspace, whose API key is a part of each that `keyed` says. */
const REQUESTS: readonly (Sent & { readonly is: string; readonly keyed?: boolean; readonly status: number })[] = [
  { is: 'a call', path: LIST, headers: JSON_TYPE, body: CALL, keyed: true, status: 200 },
  { is: 'a call in pieces', path: LIST, headers: JSON_TYPE, body: CALL, inPieces: true, keyed: true, status: 200 },
  { is: 'a call with a query', path: `${LIST}?x=1`, headers: JSON_TYPE, body: CALL, keyed: true, status: 200 },
  {
    is: 'a path with dots',
    path: `/v2/../v2/.${LIST.slice(3)}`,
    headers: JSON_TYPE,
    body: CALL,
    keyed: true,
    status: 200,
  },
  { is: 'a call without a key', path: LIST, headers: JSON_TYPE, body: CALL, status: 400 },
  { is: 'a refused input', path: LIST, headers: JSON_TYPE, body: '{"data":{}}', keyed: true, status: 400 },
  { is: 'no JSON', path: LIST, headers: JSON_TYPE, body: '{"data":', keyed: true, status: 400 },
  { is: 'no body', path: LIST, headers: JSON_TYPE, keyed: true, status: 400 },
  {
    is: 'no content type',
    path: LIST,
    headers: { 'content-type': 'text/plain' },
    body: CALL,
    keyed: true,
    status: 400,
  },
  { is: 'too much', path: LIST, headers: JSON_TYPE, body: ' '.repeat(LARGEST_BODY + 1), keyed: true, status: 400 },
  {
    is: 'too much in pieces',
    path: LIST,
    headers: JSON_TYPE,
    body: ' '.repeat(LARGEST_BODY + 1),
    inPieces: true,
    keyed: true,
    status: 400,
  },
  {
    is: 'a password',
    path: LIST,
    headers: { ...JSON_TYPE, authorization: 'Basic eDp5' },
    body: CALL,
    keyed: true,
    status: 401,
  },
  {
    is: 'a bearer',
    path: LIST,
    headers: { ...JSON_TYPE, authorization: 'Bearer x' },
    body: CALL,
    keyed: true,
    status: 200,
  },
  { is: 'an unknown path', path: '/v2/nothing', headers: JSON_TYPE, body: CALL, status: 404 },
  { is: 'a path below', path: `${LIST}/x`, headers: JSON_TYPE, body: CALL, status: 404 },
  { is: 'a path of two slashes', path: `//x${LIST}`, headers: JSON_TYPE, body: CALL, status: 404 },
  { is: 'another method', method: 'PUT', path: LIST, headers: JSON_TYPE, body: CALL, status: 400 },
  { is: 'HEAD', method: 'HEAD', path: LIST, status: 400 },
  { is: 'a look', method: 'GET', path: LIST, status: 400 },
  { is: 'a look at nothing', method: 'GET', path: '/', status: 404 },
  { is: 'a sign of life', method: 'GET', path: '/healthz', status: 200 },
  { is: 'a sign of life asked for with HEAD', method: 'HEAD', path: '/healthz?now', status: 200 },
  { is: 'a sign of life asked for with POST', path: '/healthz', headers: JSON_TYPE, body: CALL, status: 404 },
];

describe('in this process and on a port alike', () => {
  it.each(REQUESTS)('$is is answered with $status', async ({ keyed, status, ...given }) => {
    const { world, port } = await bothFaces();
    const sent = { ...given, headers: { ...given.headers, ...(keyed && world.keyHeaders()) } };
    const answer = await overPort(port, sent);
    expect(answer).toEqual(await inProcess(world, sent));
    expect(answer).toEqual([status, 'application/json', given.method === 'HEAD' ? '' : expect.stringContaining('{')]);
    expect(world.reported).toEqual([]);
  });
});

describe('on a port', () => {
  it.each([
    ['a whole URL', (port: number) => `http://127.0.0.1:${port}/healthz`, 200],
    ['a URL that is none', () => 'http://a b/', 400],
    ['neither a path nor a URL', () => '*', 400],
  ])('a target that is %s is answered', async (_, target, status) => {
    const { port } = await bothFaces();
    const socket = connect(port, '127.0.0.1');
    socket.end(`GET ${target(port)} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('who leaves in the middle of a body is nobody’s fault', async () => {
    const world = await serviceWorld();
    const arrival = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<unknown>();
    const answer: Answerer = async (sent) => {
      arrival.resolve();
      const given = world.answer(sent);
      answered.resolve(given);
      return given;
    };
    const server = await startServer(answer, { host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.close());
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const head = ['POST /v1/users/add HTTP/1.1', 'host: localhost', 'content-type: application/json'];
    head.push(...Object.entries(world.keyHeaders()).map(([name, value]) => `${name}: ${value}`), 'content-length: 100');
    socket.write(`${head.join('\r\n')}\r\n\r\n{"data":`);
    await arrival.promise;
    socket.destroy();
    expect(await answered.promise).toMatchObject({ status: 400 });
    expect(world.reported).toEqual([]);
  });
});
