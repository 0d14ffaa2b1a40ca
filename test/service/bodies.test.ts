import { describe, expect, it } from 'vitest';
import { DEEPEST_NESTING, LARGEST_BODY } from '../../src/service/body.ts';
import { post, serviceWorld } from './world.ts';

const BAD_REQUEST = { error: { message: 'Bad Request', status: 'INVALID_ARGUMENT' } };
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

const NO_CALLS: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
  ['nothing', ''],
  ['no JSON', 'data'],
  ['cut JSON', '{"data":{"organizationId":"ac'],
  ['null', 'null'],
  ['an array', '[{"data":{}}]'],
  ['a string', '"data"'],
  ['no data', '{}'],
  ['unwrapped fields', '{"organizationId":"acme","users":[]}'],
  ['a key beside data', '{"data":{},"extra":1}'],
  ['an inherited data', '{"__proto__":{"data":{}}}'],
  ['bytes that are no UTF-8', bytes('{"data":{"organizationId":"', [0xff], '"}}')],
  ['half a surrogate pair in an id', '{"data":{"organizationId":"a\\ud800"}}'],
  ['half a surrogate pair in a key', '{"data":{"a\\udc00":1}}'],
];

describe('a body that is no call', () => {
  it.each(NO_CALLS)('%s', async (_, body) => {
    const { fetch, keyHeaders } = await serviceWorld();
    const response = await post(fetch, '/v1/users/add', body, keyHeaders());
    expect([response.status, await response.json()]).toEqual([400, BAD_REQUEST]);
  });

  it.each(['text/plain', 'application/jsonp', ''])("content type '%s'", async (type) => {
    const { fetch, keyHeaders } = await serviceWorld();
    const response = await post(fetch, '/v1/users/add', '{"data":{}}', { ...keyHeaders(), 'content-type': type });
    expect([response.status, await response.json()]).toEqual([400, BAD_REQUEST]);
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('%s', async (method) => {
    const { fetch } = await serviceWorld();
    const response = await fetch('http://localhost/v1/users/add', { method });
    expect([response.status, await response.json()]).toEqual([400, BAD_REQUEST]);
  });
});

describe('a body that is a call', () => {
  it('may name a character set', async () => {
    const { fetch, workspaceHeaders } = await serviceWorld();
    const headers = { ...workspaceHeaders(), 'content-type': 'application/json; charset=utf-8' };
    expect((await post(fetch, '/v2/workspace/get', '{"data":{}}', headers)).status).toBe(200);
  });

  it.each([null, [], 'text', 7])('with %j for data is refused by name', async (data) => {
    const { call } = await serviceWorld();
    const { http, body } = await call('/v1/users/add', data);
    expect(http).toBe(400);
    expect(body.error).toMatchObject({ status: 'INVALID_ARGUMENT', message: expect.stringMatching(/^data: /) });
  });

  it('names the wrong field, and lists each', async () => {
    const { call } = await serviceWorld();
    const { body } = await call('/v1/users/add', { users: [{ userId: 'u1' }, { userId: 7 }] });
    expect(body.error?.message).toMatch(/^organizationId: /);
    expect(body.error?.details?.issues).toEqual([
      { code: 'invalid_type', path: ['organizationId'], message: expect.any(String) },
      { code: 'invalid_type', path: ['users', 1, 'userId'], message: expect.any(String) },
    ]);
  });

  it('lists a hundred findings at most', async () => {
    const { call } = await serviceWorld();
    const { body } = await call('/v1/users/add', { organizationId: 'acme', users: Array(5_000).fill(0) });
    expect(body.error?.message).toMatch(/^users\[0\]: /);
    expect(body.error?.details?.issues).toHaveLength(100);
  });
});

describe('limits', () => {
  const nested = (depth: number) => `{"data":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  it.each([DEEPEST_NESTING, 200_000, 5_000_000])('%i levels of nesting are too deep', async (depth) => {
    const { fetch, keyHeaders } = await serviceWorld();
    const response = await post(fetch, '/v1/users/add', nested(depth), keyHeaders());
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { status: 'INVALID_ARGUMENT', message: `The body is nested deeper than ${DEEPEST_NESTING} levels.` },
    });
  });

  it('brackets in strings do not nest, nor does what is closed again', async () => {
    const { call } = await serviceWorld();
    const name = '["\\{'.repeat(1_000);
    const others = { flat: Array(1_000).fill([{}]), deep: JSON.parse('['.repeat(100) + ']'.repeat(100)) };
    const users = [{ userId: 'u1', name, ...others }];
    expect((await call('/v1/users/add', { organizationId: 'acme', users })).http).toBe(200);
  });

  it('a body that is too large is refused, whether it says its length or not', async () => {
    const { fetch, keyHeaders } = await serviceWorld();
    const body = new Uint8Array(LARGEST_BODY + 1).fill(0x20);
    const streamed = new Blob([body]).stream();
    const json = { ...keyHeaders(), 'content-type': 'application/json' };
    const answers = await Promise.all([
      fetch('http://localhost/v1/users/add', { method: 'POST', headers: json, body: streamed, duplex: 'half' }),
      post(fetch, '/v1/users/add', body, { ...keyHeaders(), 'content-length': String(body.length) }),
    ]);
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(await answer.json()).toEqual({
        error: { status: 'INVALID_ARGUMENT', message: `The body is larger than ${LARGEST_BODY} bytes.` },
      });
    }
  });
});

describe('everything else', () => {
  it('GET /healthz', async () => {
    const { fetch } = await serviceWorld();
    const response = await fetch('http://localhost/healthz');
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  it.each(['/', '/v2/nothing', '/v1/users/add/', '/v1/users/add/x'])('unknown path %s', async (path) => {
    const { fetch, keyHeaders } = await serviceWorld();
    const response = await post(fetch, path, '{"data":{}}', keyHeaders());
    expect([response.status, await response.json()]).toEqual([
      404,
      { error: { status: 'NOT_FOUND', message: 'Not Found' } },
    ]);
  });

  it('an error inside says nothing to the caller, and everything to the owner', async () => {
    const { call, store, reported } = await serviceWorld();
    await store.write((database) => database.schema.dropTable('members').execute());
    const { http, body } = await call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1' }] });
    expect([http, body]).toEqual([500, { error: { status: 'INTERNAL', message: 'Internal error' } }]);
    expect(String(reported)).toContain('members');
    const users = await store.read((database) => database.selectFrom('users').selectAll().execute());
    expect(users, 'what the failed call wrote is gone').toEqual([]);
  });
});
