import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import { type EmbeddedInstance, openEmbedded } from '../../../src/service/embedded.ts';
import {
  type AdminRoutes,
  createAdmin,
  type PublicRoutes,
} from '../../../src/service/local/admin.ts';
import { invalidArgument } from '../../../src/service/store/refusal.ts';
import { SLOW } from '../../slow.ts';
import { emptyStoreLocation } from '../store-location.ts';

interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function serve(host?: string) {
  return serveService(await openEmbedded(await emptyStoreLocation(), { clock: systemClock }), host);
}

async function serveService(service: EmbeddedInstance, host = '127.0.0.1') {
  const server = await service.serve({ host, port: 0 });
  onTestFinished(async () => {
    await server.close();
    await service.close();
  });
  const { port } = new URL(server.url);
  /**
   * Sends a request whose headers replace those of a valid request. `fetch` would not send a
   * foreign Host header.
   */
  const send = async (path: string, { method = 'GET', headers = {}, body = '' }: Call = {}) => {
    const valid = { authorization: `Bearer ${server.admin}`, 'content-type': 'application/json' };
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path,
      method,
      headers: { ...valid, ...headers },
    });
    outgoing.end(body);
    const incoming = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject);
    });
    return {
      status: incoming.statusCode,
      headers: incoming.headers,
      body: JSON.parse(await text(incoming)),
    };
  };
  return { server, send };
}

describe('requests to /_svc/', () => {
  it('read and change the clock', SLOW, async () => {
    const { send } = await serve();
    const before = await send('/_svc/clock');
    expect(before).toMatchObject({ status: 200, body: { offset: 0, frozen: false } });
    expect(before.headers['cache-control']).toBe('no-store');
    expect(await send('/_svc/clock', { method: 'POST', body: '{"advance":"49h"}' })).toMatchObject({
      status: 200,
      body: { offset: 49 * 3_600_000, frozen: false },
    });
    const frozen = await send('/_svc/clock', { method: 'POST', body: '{"freeze":true}' });
    expect(frozen).toMatchObject({ status: 200, body: { frozen: true } });
    expect((await send('/_svc/clock')).body.now).toBe(frozen.body.now);
  });

  it('name the query parameter that is missing', async () => {
    const { send } = await serve();
    for (const [path, name] of [
      ['list', 'kind'],
      ['show?kind=user', 'id'],
      ['explain?user=ada&document=d1', 'org'],
    ]) {
      const error = {
        status: 'INVALID_ARGUMENT',
        message: `${name} is required`,
      };
      expect(await send(`/_svc/${path}`), path).toMatchObject({ status: 400, body: { error } });
    }
  });

  it('require the admin token, in the header', async () => {
    const { server, send } = await serve();
    const wrong = [
      '',
      'Bearer',
      'Bearer ',
      'Bearer wrong',
      `Basic ${server.admin}`,
      `Bearer ${server.admin}x`,
    ];
    for (const authorization of wrong) {
      const { status, body } = await send('/_svc/clock', { headers: { authorization } });
      expect({ status, error: body.error.status }, authorization).toEqual({
        status: 401,
        error: 'UNAUTHENTICATED',
      });
    }
    const inQuery = await send(`/_svc/clock?token=${server.admin}&admin=${server.admin}`, {
      headers: { authorization: '' },
    });
    expect(inQuery.status).toBe(401);
    expect((await send('/_svc/unknown', { headers: { authorization: '' } })).status).toBe(401);
  });

  it('are refused from foreign pages, by Origin and by Host', async () => {
    const { send } = await serve();
    const page = await send('/_svc/clock', { headers: { origin: 'https://example.com' } });
    expect(page.status).toBe(403);
    expect(page.headers).not.toHaveProperty('access-control-allow-origin');
    expect((await send('/_svc/clock', { headers: { host: 'rebound.example.com' } })).status).toBe(
      421,
    );
    expect(
      (await send('/_svc/clock', { headers: { origin: 'http://localhost:3000' } })).status,
    ).toBe(200);
  });

  it('are not found on an address that other machines can reach', async () => {
    const { server, send } = await serve('0.0.0.0');
    expect(server.admin).toBeUndefined();
    expect((await send('/_svc/clock')).status).toBe(404);
    expect((await send('/_svc/clock', { method: 'POST', body: '{"freeze":true}' })).status).toBe(
      404,
    );
  });

  it.each([
    ['a path that does not exist', '/_svc/nothing', {}, 404],
    ['a longer path', '/_svc/clock/now', {}, 404],
    ['a method that a path does not have', '/_svc/clock', { method: 'DELETE' }, 404],
    ['a body that is not JSON', '/_svc/clock', { method: 'POST', body: 'freeze' }, 400],
    ['a body that is not an object', '/_svc/clock', { method: 'POST', body: '[]' }, 400],
    [
      'no content type',
      '/_svc/clock',
      { method: 'POST', body: '{"freeze":true}', headers: { 'content-type': '' } },
      400,
    ],
    [
      'the content type of a form, which pages may send anywhere',
      '/_svc/clock',
      { method: 'POST', body: '{"freeze":true}', headers: { 'content-type': 'text/plain' } },
      400,
    ],
    [
      'a body that is too large',
      '/_svc/clock',
      { method: 'POST', body: JSON.stringify({ set: 'x'.repeat(70_000) }) },
      400,
    ],
    ['an unknown change', '/_svc/clock', { method: 'POST', body: '{"stop":true}' }, 400],
    ['two changes', '/_svc/clock', { method: 'POST', body: '{"freeze":true,"run":true}' }, 400],
    ['an unknown field', '/_svc/clock', { method: 'POST', body: '{"run":true,"x":1}' }, 400],
    ['a negative duration', '/_svc/clock', { method: 'POST', body: '{"advance":"-49h"}' }, 400],
    ['a time that is not one', '/_svc/clock', { method: 'POST', body: '{"set":"tomorrow"}' }, 400],
    [
      'a time that IDs cannot contain',
      '/_svc/clock',
      { method: 'POST', body: '{"set":"2081-01-01"}' },
      400,
    ],
  ] as const)('are refused with an envelope for %s', async (_, path, call, status) => {
    const { send } = await serve();
    const response = await send(path, call);
    expect(response).toMatchObject({
      status,
      body: { error: { message: expect.any(String), status: expect.any(String) } },
    });
    expect((await send('/_svc/clock')).body).toMatchObject({ offset: 0, frozen: false });
  });

  it.each([
    [
      'POST',
      '/_svc/requests',
      '{"wait":{"on":{"toString":1}}}',
      'wait.on: expected text, got an object',
    ],
    [
      'POST',
      '/_svc/requests',
      '{"wait":{"count":{"toString":1}}}',
      'wait.count: expected a number, got an object',
    ],
    [
      'POST',
      '/_svc/requests',
      '{"wait":{"timeout":["1s"]}}',
      'wait.timeout: expected a duration such as 5s',
    ],
    ['POST', '/_svc/requests', '{"wait":{"timeout":"25d"}}', 'at most 24 days'],
    ['POST', '/_svc/requests', '{"wait":{"timeout":2147483648}}', 'at most 24 days'],
    ['POST', '/_svc/requests', '{"wait":{"timeout":1e999}}', 'at most 24 days'],
    ['POST', '/_svc/requests', '{"wait":{"timeout":-1}}', 'at most 24 days'],
    [
      'POST',
      '/_svc/deliveries',
      '{"retry":[{"toString":1}]}',
      'retry[0]: expected text, got an object',
    ],
    ['POST', '/_svc/deliveries', '{"retry":[{}]}', 'retry[0]: expected text, got an object'],
    ['POST', '/_svc/snapshots', `{"save":"${'x'.repeat(300)}"}`, 'invalid snapshot name'],
    ['GET', `/_svc/snapshots/${'x'.repeat(300)}`, '', 'invalid snapshot name'],
    ['GET', '/_svc/list?kind=users&limit=0.5', '', 'limit: expected a whole number, got 0.5'],
    ['GET', '/_svc/list?kind=users&limit=-1', '', 'limit: expected at least 1, got -1'],
    [
      'GET',
      '/_svc/list?kind=users&limit=1e300',
      '',
      'limit: expected at most 9007199254740991, got 1e+300',
    ],
  ])('%s %s %s is refused with the reason', async (method, path, body, message) => {
    const service = await openEmbedded(await emptyStoreLocation(), {
      clock: systemClock,
      logsRequests: true,
      compareStates: async () => [],
    });
    const { send } = await serveService(service);
    const found = await send(path, { method, body });
    expect(found).toMatchObject({
      status: 400,
      body: { error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining(message) } },
    });
  });
});

async function handle(
  routes: AdminRoutes,
  target: string,
  { publicRoutes = {} }: { publicRoutes?: PublicRoutes } = {},
) {
  const reported: unknown[] = [];
  const admin = createAdmin({
    token: 'secret',
    routes,
    publicRoutes,
    report: (error) => reported.push(error),
  });
  const header = (name: string) => (name === 'authorization' ? 'Bearer secret' : undefined);
  const { status, body, headers } = await admin({
    method: 'GET',
    target,
    header,
    body: async () => undefined,
  });
  return { status, body: JSON.parse(body), headers, reported };
}

describe('createAdmin', () => {
  it('passes the segments and the query of a target to the handler', async () => {
    const routes: AdminRoutes = {
      'GET /_svc/requests/<id>': async ({ segments, query }) => [...segments, query.get('on')],
    };
    const { body } = await handle(routes, '/_svc/requests/a%2Fb?on=users.add');
    expect(body).toEqual(['a/b', 'users.add']);
    expect((await handle(routes, '/_svc/requests/')).status).toBe(404);
    expect((await handle(routes, '/_svc/requests/%ff')).status).toBe(400);
  });

  it('answers a public route without a token, with its own headers', async () => {
    const page = { status: 200, body: '"page"', headers: { 'content-type': 'text/html' } };
    const { body, headers } = await handle({}, '/_svc/ui', {
      publicRoutes: { 'GET /_svc/ui': async () => page },
    });
    expect(body).toBe('page');
    expect(headers).toMatchObject({ 'content-type': 'text/html' });
  });

  it.each([
    [
      new SvcError('not_found', 'no such request', { hint: 'list them' }),
      404,
      'NOT_FOUND',
      'no such request',
      0,
    ],
    [new SvcError('usage', 'not a duration'), 400, 'INVALID_ARGUMENT', 'not a duration', 0],
    [invalidArgument('wrong'), 400, 'INVALID_ARGUMENT', 'wrong', 0],
    [new SvcError('local', '/secret/path is full'), 500, 'INTERNAL', 'Internal error', 1],
    [new TypeError('a bug'), 500, 'INTERNAL', 'Internal error', 1],
  ])('turns %s into an envelope', async (error, http, status, message, reports) => {
    const route = { 'GET /_svc/clock': () => Promise.reject(error) };
    const found = await handle(route, '/_svc/clock');
    expect(found).toMatchObject({ status: http, body: { error: { status, message } } });
    expect(found.reported).toHaveLength(reports);
  });
});
