import { describe, expect, it } from 'vitest';
import { MAX_BODY_BYTES, MAX_NESTING, MAX_PROPERTIES } from '../../src/service/calls/body.ts';
import { post, startTestService } from './test-service.ts';

const BAD_REQUEST = { error: { message: 'Bad Request', status: 'INVALID_ARGUMENT' } };
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));

const INVALID_BODIES: readonly (readonly [string, string | Uint8Array<ArrayBuffer>])[] = [
  ['nothing', ''],
  ['invalid JSON', 'data'],
  ['truncated JSON', '{"data":{"organizationId":"ac'],
  ['null', 'null'],
  ['an array', '[{"data":{}}]'],
  ['a string', '"data"'],
  ['no data', '{}'],
  ['unwrapped fields', '{"organizationId":"acme","users":[]}'],
  ['a key next to data', '{"data":{},"extra":1}'],
  ['inherited data', '{"__proto__":{"data":{}}}'],
  ['invalid UTF-8', bytes('{"data":{"organizationId":"', [0xff], '"}}')],
  ['an unpaired surrogate in an ID', '{"data":{"organizationId":"a\\ud800"}}'],
  ['an unpaired surrogate in a key', '{"data":{"a\\udc00":1}}'],
];

describe('an invalid body', () => {
  it.each(INVALID_BODIES)('%s', async (_, body) => {
    const { fetch, keyHeaders } = await startTestService();
    const response = await post(fetch, '/v1/users/add', body, keyHeaders());
    expect([response.status, await response.json()]).toEqual([400, BAD_REQUEST]);
  });

  it.each(['text/plain', 'application/jsonp', ''])("content type '%s'", async (type) => {
    const { fetch, keyHeaders } = await startTestService();
    const response = await post(fetch, '/v1/users/add', '{"data":{}}', {
      ...keyHeaders(),
      'content-type': type,
    });
    expect([response.status, await response.json()]).toEqual([400, BAD_REQUEST]);
  });

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS'])('%s', async (method) => {
    const { fetch } = await startTestService();
    const response = await fetch('http://localhost/v1/users/add', { method });
    expect([response.status, await response.json()]).toEqual([400, BAD_REQUEST]);
  });
});

describe('a valid body', () => {
  it('may have a content type with a character set', async () => {
    const { fetch, workspaceHeaders } = await startTestService();
    const headers = { ...workspaceHeaders(), 'content-type': 'application/json; charset=utf-8' };
    expect((await post(fetch, '/v2/workspace/get', '{"data":{}}', headers)).status).toBe(200);
  });

  it.each([null, [], 'text', 7])('is rejected with the field name if data is %j', async (data) => {
    const { call } = await startTestService();
    const { http, body } = await call('/v1/users/add', data);
    expect(http).toBe(400);
    expect(body.error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^data: /),
    });
  });

  it('is rejected with the first invalid field, and a list of all of them', async () => {
    const { call } = await startTestService();
    const { body } = await call('/v1/users/add', { users: [{ userId: 'u1' }, { userId: 7 }] });
    expect(body.error?.message).toBe('Organization ID is required');
    expect(body.error?.details?.issues).toEqual([
      { code: 'invalid_type', path: ['organizationId'], message: 'Organization ID is required' },
      {
        code: 'invalid_type',
        path: ['users', 1, 'userId'],
        message: 'expected text, got a number: put it in quotes',
      },
    ]);
  });

  it('is rejected with at most 100 issues', async () => {
    const { call } = await startTestService();
    const { body } = await call('/v1/users/add', {
      organizationId: 'acme',
      users: Array(5_000).fill(0),
    });
    expect(body.error?.message).toMatch(/^users\[0\]: /);
    expect(body.error?.details?.issues).toHaveLength(100);
  });
});

describe('limits', () => {
  const nested = (depth: number) => `{"data":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  it.each([MAX_NESTING, 200_000, 5_000_000])('reject %i levels of nesting', async (depth) => {
    const { fetch, keyHeaders } = await startTestService();
    const response = await post(fetch, '/v1/users/add', nested(depth), keyHeaders());
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: {
        status: 'INVALID_ARGUMENT',
        message: `The body is nested deeper than ${MAX_NESTING} levels.`,
      },
    });
  });

  it('do not count brackets in strings or closed brackets as nesting', async () => {
    const { call } = await startTestService();
    const name = '["\\{'.repeat(1_000);
    const others = {
      flat: Array(1_000).fill([{}]),
      deep: JSON.parse('['.repeat(100) + ']'.repeat(100)),
    };
    const users = [{ userId: 'u1', name, ...others }];
    expect((await call('/v1/users/add', { organizationId: 'acme', users })).http).toBe(200);
  });

  it('reject an object with too many properties, at any level', async () => {
    const { call } = await startTestService();
    const withProperties = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, at]));
    const add = (extra: object) =>
      call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1', extra }] });
    const refused = await add({ inner: [withProperties(MAX_PROPERTIES + 1)] });
    expect([refused.http, refused.body.error?.message]).toEqual([
      400,
      `An object in the body has more than ${MAX_PROPERTIES} properties.`,
    ]);
    // Properties of objects beside each other do not add up.
    const half = withProperties(MAX_PROPERTIES / 2);
    expect((await add({ one: half, others: [half, half] })).http).toBe(200);
  });

  it('reject a body that is too large, with or without a content length', async () => {
    const { fetch, keyHeaders } = await startTestService();
    const body = new Uint8Array(MAX_BODY_BYTES + 1).fill(0x20);
    const streamed = new Blob([body]).stream();
    const json = { ...keyHeaders(), 'content-type': 'application/json' };
    const responses = await Promise.all([
      fetch('http://localhost/v1/users/add', {
        method: 'POST',
        headers: json,
        body: streamed,
        duplex: 'half',
      }),
      post(fetch, '/v1/users/add', body, {
        ...keyHeaders(),
        'content-length': String(body.length),
      }),
    ]);
    for (const response of responses) {
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        error: {
          status: 'INVALID_ARGUMENT',
          message: `The body is larger than ${MAX_BODY_BYTES} bytes.`,
        },
      });
    }
  });
});

describe('other requests', () => {
  it('GET /healthz', async () => {
    const { fetch } = await startTestService();
    const response = await fetch('http://localhost/healthz');
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  it.each(['/', '/v2/nothing', '/v1/users/add/', '/v1/users/add/x'])(
    'unknown path %s',
    async (path) => {
      const { fetch, keyHeaders } = await startTestService();
      const response = await post(fetch, path, '{"data":{}}', keyHeaders());
      expect([response.status, await response.json()]).toEqual([
        404,
        {
          error: {
            status: 'NOT_FOUND',
            message: `The embedded service has no operation at ${path}`,
          },
        },
      ]);
    },
  );

  it('an internal error is reported to the operator but not to the caller', async () => {
    const { call, store, reported } = await startTestService();
    await store.write((database) => database.schema.dropTable('members').execute());
    const { http, body } = await call('/v1/users/add', {
      organizationId: 'acme',
      users: [{ userId: 'u1' }],
    });
    expect([http, body]).toEqual([
      500,
      { error: { status: 'INTERNAL', message: 'Internal error' } },
    ]);
    expect(String(reported)).toContain('members');
    const users = await store.read((database) =>
      database.selectFrom('users').selectAll().execute(),
    );
    expect(users, 'what the failed call wrote is gone').toEqual([]);
  });
});
