import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';
import { startServing } from './serving.ts';
import { newUser } from './svc.ts';

/** Less than the number of held connections; the service itself needs about forty. */
const DESCRIPTORS = 256;
const CONNECTIONS = 400;
const MEGABYTE = 1024 * 1024;
const isLinux = platform() === 'linux';

type Server = Awaited<ReturnType<typeof startServing>>;

const urlOf = ({ env }: Server) => env.SVC_BASE_URL;
const portOf = (server: Server) => Number(new URL(urlOf(server)).port);

/** The service of most tests. */
let server: Server;

beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'svc-attacks-'));
  server = await startServing({ ...(await newUser(home)), isShared: true });
  return async () => {
    await server.end('SIGKILL');
    await rm(home, { recursive: true });
  };
});

/**
 * Opens a connection that stays open until the server destroys it. The client ignores a half-close.
 */
async function dial(server: Server): Promise<Socket> {
  const socket = connect({ port: portOf(server), host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  return socket;
}

/** Writes raw request text and returns the whole response. */
async function sendRaw(
  server: Server,
  ...lines: readonly string[]
): Promise<{ status: number; body: unknown }> {
  const socket = connect(portOf(server), '127.0.0.1');
  socket.write([...lines, '', ''].join('\r\n'));
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), body: JSON.parse(body) };
}

async function isAlive(server: Server): Promise<boolean> {
  const response = await fetch(`${urlOf(server)}/healthz`, { signal: AbortSignal.timeout(30_000) });
  return (await response.text()) === '{"status":"ok"}';
}

async function openDescriptors({ pid }: Server): Promise<number> {
  return isLinux ? (await readdir(`/proc/${pid}/fd`)).length : 0;
}

/** Peak memory of the process in megabytes. */
async function peakMemory({ pid }: Server): Promise<number> {
  if (!isLinux) return 0;
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

/**
 * Polls the health check until the work is done.
 * @returns the longest response time in milliseconds
 */
async function pollHealth(server: Server, work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const finished = work.finally(() => {
    isDone = true;
  });
  let slowest = 0;
  do {
    const asked = performance.now();
    expect(await isAlive(server)).toBe(true);
    slowest = Math.max(slowest, performance.now() - asked);
    await sleep(20);
  } while (!isDone);
  await finished;
  return slowest;
}

const head = (server: Server, length: number) =>
  [
    'POST /v1/users/add HTTP/1.1',
    'Host: localhost',
    ...Object.entries(server.headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${length}`,
    '',
    '',
  ].join('\r\n');

describe('held connections', () => {
  const HOLDS: readonly (readonly [string, (server: Server) => string])[] = [
    ['silently', () => ''],
    ['with half a head', () => 'POST /v1/users/add HTTP/1.1\r\nHost: localhost\r\n'],
    ['with half a body', (server) => `${head(server, 1_000)}{"data":`],
    ['after a rejection', () => '\u0000 no request\r\n\r\n'],
  ];

  const hold = async (kind: string, start: (server: Server) => string) => {
    const limited = await startServing({ ...(await newUser()), descriptors: DESCRIPTORS });
    const before = await openDescriptors(limited);
    const bytes = start(limited);
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => dial(limited)));
    for (const socket of sockets) socket.write(bytes);
    for (let count = 0; count < 10; count++) expect(await isAlive(limited), kind).toBe(true);
    const organization = { organizationId: 'acme', users: [{ userId: 'u1' }] };
    expect(await limited.call('/v1/users/add', organization), kind).toMatchObject({ status: 200 });
    // The remaining connections include those of this test's own calls.
    await eventually(
      async () => expect(await openDescriptors(limited), kind).toBeLessThan(before + 20),
      500,
    );
    expect(await isAlive(limited), kind).toBe(true);
  };

  // At the same time, because each kind takes as long as the service waits for the rest of a
  // request.
  it(
    `${HOLDS.map(([kind]) => kind).join(', or ')} block no other clients and are closed`,
    SLOW,
    async () => {
      await Promise.all(HOLDS.map(([kind, start]) => hold(kind, start)));
    },
  );
});

describe('waiting requests', () => {
  it('leave the service reachable, and further ones are refused', SLOW, async () => {
    const limited = await startServing({ ...(await newUser()), descriptors: 400 });
    const waits = Array.from({ length: 300 }, () =>
      limited.admin('requests', { wait: { count: 1_000, timeout: '60s' } }),
    );
    // A connection that another one replaces before it sends its request gets no response.
    const refused = await Promise.any(waits);
    expect(refused).toMatchObject({
      status: 503,
      body: { error: { status: 'UNAVAILABLE', message: 'Too many requests at once.' } },
    });
    for (let count = 0; count < 10; count++) expect(await isAlive(limited)).toBe(true);
    await limited.end('SIGKILL');
    await Promise.allSettled(waits);
  });

  it('free their places when their clients disconnect', SLOW, async () => {
    const limited = await startServing({ ...(await newUser()), descriptors: 400 });
    const leaving = new AbortController();
    const body = JSON.stringify({ wait: { count: 1_000, timeout: '60s' } });
    const waits = Array.from({ length: 300 }, () =>
      limited.adminRequest('requests', { body, signal: leaving.signal }).catch(() => undefined),
    );
    await Promise.race(waits);
    leaving.abort();
    await Promise.all(waits);
    const organization = { organizationId: 'acme', users: [{ userId: 'u1' }] };
    await eventually(async () =>
      expect(await limited.call('/v1/users/add', organization)).toMatchObject({ status: 200 }),
    );
  });
});

describe('a large body', () => {
  const listOf = (records: number) =>
    `{"data":{"organizationId":"acme","users":[${'{},'.repeat(records)}{}]}}`;
  const LARGEST = Buffer.from(listOf(5 * MEGABYTE));
  const MANY = 12;

  async function send(
    server: Server,
    body: string | Buffer<ArrayBuffer>,
    headers: Record<string, string>,
  ) {
    const json = { 'content-type': 'application/json' };
    const response = await fetch(`${urlOf(server)}/v1/users/add`, {
      method: 'POST',
      headers: { ...json, ...headers },
      body,
      signal: AbortSignal.timeout(240_000),
    });
    return {
      status: response.status,
      body: (await response.json()) as { error: { message: string; details?: unknown } },
    };
  }

  const sendMany = (server: Server, count: number, headers: Record<string, string>) =>
    Promise.all(Array.from({ length: count }, () => send(server, LARGEST, headers)));

  it.each<readonly [string, Record<string, string>, number, string]>([
    ['without credentials', {}, 400, 'API key not found in headers.'],
    [
      'with an unknown key',
      { 'x-svc-api-key': 'no', 'x-svc-auth-token': 'no' },
      403,
      'Invalid API key.',
    ],
  ])(
    '%s is not read, regardless of the number of requests',
    SLOW,
    async (_, headers, status, message) => {
      // A service of its own: it closes connections that other tests would use again.
      const server = await startServing(await newUser());
      const before = await peakMemory(server);
      const sent = sendMany(server, MANY, headers);
      expect(await pollHealth(server, sent)).toBeLessThan(20_000);
      for (const answer of await sent)
        expect(answer).toMatchObject({ status, body: { error: { message } } });
      // Less than if it kept the bodies. What it reads before it closes a connection stays until
      // the next garbage collection.
      expect((await peakMemory(server)) - before).toBeLessThan(
        (0.8 * MANY * LARGEST.length) / MEGABYTE,
      );
    },
  );

  it(
    'with valid credentials is rejected before millions of values are parsed',
    SLOW,
    async ({ annotate }) => {
      const server = await startServing(await newUser());
      // More than the service reads at once.
      const sent = sendMany(server, 8, server.headers);
      const slowest = await pollHealth(server, sent);
      expect(slowest).toBeLessThan(20_000);
      const answers = await sent;
      const said = answers.map(({ body }) => body.error.message);
      for (const message of said)
        expect(message).toMatch(/contains more than 1000000 values|large requests at once/);
      expect(said.join()).toContain('values');
      const memory = await peakMemory(server);
      expect(memory).toBeLessThan(800);
      await annotate(
        `${answers.length} at once: a sign of life in ${Math.round(slowest)} ms, ${Math.round(memory)} MB`,
      );
    },
  );

  it('with only invalid records returns the first hundred issues', SLOW, async () => {
    const sent = send(server, listOf(100_000), server.headers);
    expect(await pollHealth(server, sent)).toBeLessThan(20_000);
    const { status, body } = await sent;
    expect([status, body.error.message]).toEqual([400, 'User ID is required (users[0].userId).']);
    expect(body.error.details).toMatchObject({ issues: { length: 100 } });
    const valid = Array.from({ length: 5_000 }, (__, at) => ({
      userId: `u${at}`,
      name: 'x'.repeat(20),
    }));
    const last = JSON.stringify({ data: { organizationId: 'acme', users: [...valid, {}] } });
    expect((await send(server, last, server.headers)).body.error.message).toBe(
      'User ID is required (users[5000].userId).',
    );
    expect(await peakMemory(server)).toBeLessThan(800);
  });

  it('with valid records does not block the service while it is written', async () => {
    const users = Array.from({ length: 30_000 }, (_, at) => ({ userId: `u${at}` }));
    const sent = server.call('/v1/users/add', { organizationId: 'acme', users });
    expect(await pollHealth(server, sent)).toBeLessThan(20_000);
    expect(await sent).toMatchObject({ status: 200 });
  });

  it('for an operation without credentials is limited to 64 KiB', async () => {
    const body = JSON.stringify({
      data: { ownerEmail: 'a@example.com', name: 'x'.repeat(64 * 1024) },
    });
    const response = await fetch(`${urlOf(server)}/v2/workspace/create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const message = 'The body is larger than 65536 bytes.';
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: { status: 'INVALID_ARGUMENT', message } },
    ]);
  });
});

describe('a web page of another site', () => {
  const create = (...headers: readonly string[]) => {
    const body = '{"data":{"ownerEmail":"a@example.com"}}';
    const fixed = [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Connection: close',
    ];
    return ['POST /v2/workspace/create HTTP/1.1', ...headers, ...fixed, '', body];
  };

  const FOREIGN: readonly (readonly [readonly string[], number, string])[] = [
    [['Host: evil.example'], 421, 'INVALID_ARGUMENT'],
    [['Host: 127.0.0.1.evil.example:7400'], 421, 'INVALID_ARGUMENT'],
    [['Host: 10.0.0.1'], 421, 'INVALID_ARGUMENT'],
    [['Host: localhost', 'Origin: http://evil.example'], 403, 'PERMISSION_DENIED'],
    [['Host: localhost', 'Origin: null'], 403, 'PERMISSION_DENIED'],
    [['Host: evil.example', 'Origin: http://evil.example'], 421, 'INVALID_ARGUMENT'],
  ];
  const absolute = (lines: readonly string[], origin: string) => [
    (lines[0] ?? '').replace(' /', ` ${origin}/`),
    ...lines.slice(1),
  ];

  const OWN: readonly (readonly string[])[] = [
    ['Host: localhost:1'],
    ['Host: 127.0.0.1'],
    ['Host: 127.8.0.1:80'],
    ['Host: [::1]:7400'],
    ['Host: localhost', 'Origin: http://localhost:3000'],
    ['Host: localhost', 'Origin: https://[::1]'],
  ];

  it('cannot reach a loopback address, which accepts only its own names', async () => {
    for (const [headers, status, word] of FOREIGN) {
      const answer = await sendRaw(server, ...create(...headers));
      expect(answer, headers.join()).toMatchObject({ status, body: { error: { status: word } } });
    }
    expect(
      await sendRaw(server, ...absolute(create('Host: localhost'), 'http://evil.example')),
      'the host of an absolute target',
    ).toMatchObject({ status: 421, body: { error: { status: 'INVALID_ARGUMENT' } } });
    const [first = [], ...others] = OWN;
    expect(
      await sendRaw(server, ...create(...first)),
      'no workspace was made before',
    ).toMatchObject({ status: 200 });
    for (const headers of others)
      expect(await sendRaw(server, ...create(...headers)), headers.join()).toMatchObject({
        status: 409,
      });
  });

  it('is treated like any client on a public address', async () => {
    const open = await startServing(await newUser(), '--host', '0.0.0.0');
    const answer = await sendRaw(
      open,
      ...create('Host: svc.example', 'Origin: http://app.example'),
    );
    expect(answer).toMatchObject({ status: 200 });
  });
});

describe('a request in old or unusual HTTP', () => {
  const BAD_REQUEST = { error: { status: 'INVALID_ARGUMENT', message: 'Bad Request' } };

  it('for the health check needs no Host header in HTTP/1.0, like a plain haproxy check', async () => {
    expect(await sendRaw(server, 'GET /healthz HTTP/1.0')).toEqual({
      status: 200,
      body: { status: 'ok' },
    });
    expect(await sendRaw(server, 'OPTIONS / HTTP/1.0')).toMatchObject({ status: 404 });
  });

  it('with no Host header or with two is rejected with the envelope', async () => {
    for (const hosts of [
      [],
      ['Host: localhost', 'Host: localhost'],
      ['Host: localhost', 'Host: evil.example'],
    ]) {
      const answer = await sendRaw(server, 'GET /healthz HTTP/1.1', ...hosts, 'Connection: close');
      expect(answer, hosts.join()).toEqual({ status: 400, body: BAD_REQUEST });
    }
  });

  it('with an unsupported expectation is rejected with the envelope, and 100-continue is supported', async () => {
    const odd = await sendRaw(
      server,
      'GET /healthz HTTP/1.1',
      'Host: localhost',
      'Expect: the-unexpected',
    );
    expect(odd).toMatchObject({ status: 417, body: { error: { status: 'INVALID_ARGUMENT' } } });
    const socket = await dial(server);
    const answer = text(socket);
    const body = '{"data":{"organizationId":"acme","users":[{"userId":"u1"}]}}';
    const lines = head(server, body.length).replace(
      'Host',
      'Connection: close\r\nExpect: 100-continue\r\nHost',
    );
    socket.write(lines);
    await once(socket, 'data');
    socket.write(body);
    expect(await answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
    const unknown =
      'POST /v1/users/add HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n';
    const other = await dial(server);
    other.write(unknown);
    expect(await text(other), 'nobody is invited without credentials').toMatch(/^HTTP\/1.1 400 /);
    const wrong = await dial(server);
    wrong.write(lines.replace(/(x-svc-auth-token: )\S+/i, '$1wrong'));
    expect(await text(wrong), 'nobody is invited with wrong credentials').toMatch(
      /^HTTP\/1.1 40[13] /,
    );
  });
});
