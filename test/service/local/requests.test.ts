import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createService } from '../../../src/library/service.ts';
import type { HandledCall } from '../../../src/service/local/requests/call-log.ts';
import { formatHar } from '../../../src/service/local/requests/har.ts';
import { redactBodies } from '../../../src/service/local/requests/record.ts';
import {
  openRequestFile,
  type RequestFile,
} from '../../../src/service/local/requests/request-file.ts';
import { createRequestLog } from '../../../src/service/local/requests/request-log.ts';
import { SLOW } from '../../slow.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { emptyStoreLocation } from '../store-location.ts';

function handledCall(change: Partial<HandledCall> = {}): HandledCall {
  return {
    method: 'POST',
    target: '/v1/users/add',
    operation: 'users.add',
    org: 'acme',
    records: 1,
    failed: 0,
    status: 200,
    error: undefined,
    milliseconds: 1.26,
    fault: undefined,
    header: () => undefined,
    requestBody: () => '{"data":{"organizationId":"acme"}}',
    responseBody: '{"result":{"data":{}}}',
    ...change,
  };
}

async function openFile() {
  const path = join(await createTemporaryFolder(), 'store.sqlite.requests');
  const file = await openRequestFile(path);
  onTestFinished(file.close);
  return { file, path };
}

describe('the request log', () => {
  it('keeps requests with their bodies, across processes', async () => {
    const { file, path } = await openFile();
    const log = createRequestLog(file);
    log.add(handledCall());
    log.add(
      handledCall({
        operation: undefined,
        target: '/nothing?token=secret',
        org: undefined,
        status: 404,
        error: 'NOT_FOUND',
      }),
    );
    log.flush();
    const other = await openRequestFile(path);
    onTestFinished(other.close);
    const [first, second] = other.list({ limit: 10 });
    expect(first).toEqual({
      id: 1,
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      method: 'POST',
      path: '/v1/users/add',
      operation: 'users.add',
      org: 'acme',
      status: 200,
      error: null,
      ms: 1.3,
      records: 1,
      failed: 0,
      fault: null,
      request: { data: { organizationId: 'acme' } },
      response: { result: { data: {} } },
    });
    expect(second).toMatchObject({
      id: 2,
      path: '/nothing',
      operation: null,
      org: null,
      status: 404,
      error: 'NOT_FOUND',
    });
    expect(other.find(2)).toEqual(second);
    expect(other.find(3)).toBeUndefined();
    expect(other.list({ on: 'users.add', limit: 10 })).toEqual([first]);
    expect(other.list({ after: 1, limit: 10 })).toEqual([second]);
    expect(other.list({ limit: 1 })).toEqual([second]);
    expect(other.list({ after: 0, limit: 1 })).toEqual([first]);
  });

  it('is bounded, and keeps the latest requests', async () => {
    const { file } = await openFile();
    const log = createRequestLog(file);
    for (let at = 1; at <= 5_000; at += 1) {
      log.add(handledCall());
      if (at % 900 === 0) log.flush();
    }
    log.flush();
    const kept = file.list({ after: 0, limit: 100_000 });
    expect([kept.length, kept.at(0)?.id, kept.at(-1)?.id]).toEqual([2_000, 3_001, 5_000]);
  });

  it('keeps no body that is too large or not JSON', () => {
    const huge = JSON.stringify({ data: 'x'.repeat(70_000) });
    expect(redactBodies(handledCall({ requestBody: () => huge, responseBody: 'no JSON' }))).toEqual(
      {
        request: null,
        response: null,
      },
    );
  });

  it('gives other IDs to requests whose IDs another process has used', async () => {
    const { file, path } = await openFile();
    const other = await openRequestFile(path);
    onTestFinished(other.close);
    const logs = [createRequestLog(file), createRequestLog(other)];
    for (const log of logs) {
      log.add(handledCall());
      log.add(handledCall());
      log.flush();
    }
    expect(file.list({ limit: 10 }).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  it('drops requests if the file fails, reports the first error, and continues', async () => {
    const { file } = await openFile();
    let isFull = true;
    const append: RequestFile['append'] = (requests) => {
      if (isFull)
        throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR' });
      file.append(requests);
    };
    const reported: unknown[] = [];
    const log = createRequestLog({ ...file, append }, { report: (error) => reported.push(error) });
    for (let at = 0; at < 3; at += 1) {
      log.add(handledCall());
      log.flush();
    }
    expect(reported.map(String)).toEqual(['Error: database or disk is full']);
    isFull = false;
    log.add(handledCall());
    // The gap shows that requests were dropped.
    expect(log.list({ limit: 10 }).map(({ id }) => id)).toEqual([4]);
  });

  it('drops requests while too many are pending, unless someone waits for them', async () => {
    const { file } = await openFile();
    const log = createRequestLog(file);
    expect(log.dropIfFull()).toBe(false);
    let added = 0;
    while (!log.dropIfFull()) {
      log.add(handledCall());
      added += 1;
    }
    const waiting = log.wait({ timeout: 60_000 });
    expect(log.dropIfFull()).toBe(false);
    log.add(handledCall({ org: 'waited-for' }));
    expect(await waiting).toMatchObject([{ id: added + 2, org: 'waited-for' }]);
    log.flush();
    log.add(handledCall());
    expect(log.list({ limit: 2 }).map(({ id }) => id)).toEqual([added, added + 3]);
  });

  it('drops requests instead of delaying them if the disk is slow', SLOW, async () => {
    const { file } = await openFile();
    let writes = 0;
    const append: RequestFile['append'] = (requests) => {
      writes += 1;
      const end = performance.now() + 24;
      while (performance.now() < end);
      file.append(requests);
    };
    const log = createRequestLog({ ...file, append });
    const started = performance.now();
    let added = 0;
    while (performance.now() < started + 400) {
      log.add(handledCall());
      added += 1;
      if (added % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    // Each write pauses the log for 99 times its duration.
    expect(writes).toBeLessThanOrEqual(2);
    expect(added).toBeGreaterThan(2_000);
    const kept = log.list({ limit: 100_000 });
    expect(kept.length).toBeLessThan(added);
  });
});

const SECRET = 'pl/a+c=e"h\\old er&token~4711';
const encode = (text: string) => Buffer.from(text);

/** Ways in which a service or a client may repeat a secret in a body. */
const SPELLINGS: readonly (readonly [string, unknown])[] = [
  ['plain', SECRET],
  ['in a text', `Bearer ${SECRET}!`],
  ['as a field name', { [SECRET]: 1 }],
  ['in a list', [[SECRET]]],
  ['JSON in JSON', JSON.stringify({ value: SECRET })],
  ['JSON in JSON in JSON', JSON.stringify(JSON.stringify({ value: SECRET }))],
  ['escaped slashes', JSON.stringify(SECRET).replaceAll('/', '\\/')],
  [
    'unicode escapes',
    Array.from(SECRET, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ],
  ['percent', encodeURIComponent(SECRET)],
  ['percent, lower case', encodeURIComponent(SECRET).replace(/%../g, (hex) => hex.toLowerCase())],
  ['percent, all', Array.from(encode(SECRET), (byte) => `%${byte.toString(16)}`).join('')],
  ['form', new URLSearchParams({ s: SECRET }).toString()],
  ['base64', encode(SECRET).toString('base64')],
  ['base64url', encode(SECRET).toString('base64url')],
  ['base64 of more', encode(`user:${SECRET}`).toString('base64')],
  ['base64 of more, shifted', encode(`me:${SECRET}:x`).toString('base64')],
  ['hex', encode(SECRET).toString('hex')],
  ['hex, upper case', encode(SECRET).toString('hex').toUpperCase()],
  ['in a URL', `https://example.com/?q=${encodeURIComponent(SECRET)}`],
  ['twice', `${SECRET}${SECRET}`],
];

describe('secrets', () => {
  /** Whether a text contains the secret in any of the spellings. */
  const reveals = (text: string) => {
    const forms = SPELLINGS.map(([, value]) => JSON.stringify(value).slice(1, -1));
    const core = [
      SECRET,
      JSON.stringify(SECRET).slice(1, -1),
      encode(SECRET).toString('hex'),
      encode(SECRET).toString('base64'),
    ];
    return [...forms, ...core].some((form) => text.includes(form));
  };

  it.each(SPELLINGS)('of headers never reach the log: %s', (_, value) => {
    for (const name of ['authorization', 'x-svc-auth-token', 'x-svc-workspace-auth-token']) {
      const header = (asked: string) =>
        asked === name ? (name === 'authorization' ? `Bearer ${SECRET}` : SECRET) : undefined;
      const body = JSON.stringify({ data: { note: value } });
      const bodies = redactBodies(
        handledCall({ header, requestBody: () => body, responseBody: body }),
      );
      expect(reveals(JSON.stringify(bodies))).toBe(false);
      expect(JSON.stringify(bodies)).toContain('****');
    }
  });

  it.each(SPELLINGS)(
    'of secret fields in one body never reach the log in the other: %s',
    (_, value) => {
      const sent = JSON.stringify({ data: { token: SECRET } });
      const received = JSON.stringify({ result: { message: value } });
      expect(
        reveals(
          JSON.stringify(
            redactBodies(handledCall({ requestBody: () => sent, responseBody: received })),
          ),
        ),
      ).toBe(false);
      expect(
        reveals(
          JSON.stringify(
            redactBodies(handledCall({ requestBody: () => received, responseBody: sent })),
          ),
        ),
      ).toBe(false);
    },
  );

  it.each([
    'authToken',
    'AUTH_TOKEN',
    'client-secret',
    'password',
    'passwd',
    'api_key',
    'privateKey',
    'Authorization',
    'credentials',
  ])('in the field %s are masked', (name) => {
    const body = JSON.stringify({ data: { config: { [name]: { nested: [SECRET] } } } });
    expect(
      reveals(
        JSON.stringify(redactBodies(handledCall({ requestBody: () => body, responseBody: body }))),
      ),
    ).toBe(false);
  });

  it('of URLs are masked, and the path has no query', async () => {
    const body = JSON.stringify({
      data: { url: 'https://me:hunter2@example.com/hook?token=abcdef' },
    });
    const { request } = redactBodies(handledCall({ requestBody: () => body }));
    expect(JSON.stringify(request)).not.toMatch(/hunter2|abcdef/);
  });

  it('are not in the file of a service', async () => {
    const store = join(await createTemporaryFolder(), 'store.sqlite');
    const service = await createService({ store });
    const { workspaceId, workspaceAuthToken, authToken } = service.client;
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${authToken}`,
      'x-svc-workspace-id': workspaceId,
      'x-svc-workspace-auth-token': workspaceAuthToken,
    };
    const response = await service.fetch('http://localhost/v2/workspace/authtokens/get', {
      method: 'POST',
      headers,
      body: JSON.stringify({ data: { note: authToken } }),
    });
    await response.text();
    const [logged] = await service.requests.list();
    expect(logged?.path).toBe('/v2/workspace/authtokens/get');
    await service.close();
    const file = await readFile(`${store}.requests`, 'latin1');
    expect(file).toContain('/v2/workspace/authtokens/get');
    for (const secret of [workspaceAuthToken, authToken]) expect(file).not.toContain(secret);
  });
});

describe('waiting for requests', () => {
  async function openService() {
    const service = await createService({ store: await emptyStoreLocation() });
    onTestFinished(service.close);
    const { apiKey, authToken } = service.client;
    const headers = {
      'content-type': 'application/json',
      'x-svc-api-key': apiKey,
      'x-svc-auth-token': authToken,
    };
    const add = (organizationId: string) => {
      const body = JSON.stringify({ data: { organizations: [{ organizationId }] } });
      return service.fetch('http://localhost/v2/organizations/add', {
        method: 'POST',
        headers,
        body,
      });
    };
    return { service, add };
  }

  it('counts from its start, and only requests of its operation', async () => {
    const { service, add } = await openService();
    await add('before');
    const waiting = service.requests.wait({ on: 'organizations.add', count: 2, timeout: '40s' });
    await service.fetch('http://localhost/nothing');
    await add('one');
    await add('two');
    expect((await waiting).map(({ id, operation }) => [id, operation])).toEqual([
      [3, 'organizations.add'],
      [4, 'organizations.add'],
    ]);
  });

  it('rejects with the number of requests if there are not enough', async () => {
    const { service, add } = await openService();
    const waiting = service.requests.wait({ on: 'organizations.add', count: 3, timeout: 1_000 });
    const message = 'expected 3 organizations.add requests within 1 s, got 1';
    const rejected = expect(waiting).rejects.toMatchObject({ failure: 'unreachable', message });
    await add('one');
    await rejected;
  });

  it('works with its defaults', async () => {
    const { service, add } = await openService();
    const waiting = service.requests.wait();
    await add('one');
    expect(await waiting).toHaveLength(1);
  });
});

describe('requests to /_svc/requests and /_svc/faults', () => {
  it('list, show, and wait for requests, and change the rules', SLOW, async () => {
    const service = await createService({ store: await emptyStoreLocation() });
    onTestFinished(service.close);
    const { url, admin } = await service.listen();
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${admin}` };
    const send = async (path: string, body?: object) => {
      const method = body ? 'POST' : 'GET';
      const response = await fetch(url + path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };
    const rule = { on: '*', status: 'UNAVAILABLE' };
    expect((await send('/_svc/faults', { seed: 9, faults: [rule] })).body).toEqual({
      seed: 9,
      faults: [{ ...rule, name: 'fault-1' }],
    });
    expect((await send('/_svc/faults', { add: { ...rule, name: 'x' } })).body.faults).toHaveLength(
      2,
    );
    expect((await send('/_svc/faults')).body).toMatchObject({
      seed: 9,
      faults: [{ name: 'fault-1' }, { name: 'x' }],
    });
    expect(await send('/_svc/faults', { faults: [{ on: '*' }] })).toMatchObject({
      status: 400,
      body: {
        error: {
          status: 'INVALID_ARGUMENT',
          message: expect.stringMatching(/^faults\[0\]: a rule needs an effect/),
        },
      },
    });
    expect((await send('/_svc/faults', { clear: true })).body).toEqual({ seed: 1, faults: [] });
    await fetch(`${url}/nothing`);
    await fetch(`${url}/healthz`);
    const { body } = await send('/_svc/requests?after=0&limit=5');
    expect(body).toEqual({
      requests: [expect.objectContaining({ id: 1, path: '/nothing', status: 404 })],
      more: false,
    });
    expect(body.requests[0]).not.toHaveProperty('response');
    expect((await send('/_svc/requests/1')).body.response.error.status).toBe('NOT_FOUND');
    expect((await send('/_svc/requests/2')).status).toBe(404);
    expect((await send('/_svc/requests?limit=many')).status).toBe(400);
    const waiting = send('/_svc/requests', { wait: { count: 2, timeout: '100ms' } });
    expect(await waiting).toMatchObject({
      status: 504,
      body: { error: { message: 'expected 2 requests within 0.1 s, got 0' } },
    });
    expect((await send('/_svc/requests', { wait: { timeout: 'soon' } })).status).toBe(400);
  });
});

describe('an HTTP archive', () => {
  it('has the fields that HAR 1.2 requires', () => {
    const detail = {
      id: 7,
      time: '2027-01-01T00:00:00.000Z',
      method: 'POST',
      path: '/v1/users/add',
      operation: 'users.add',
      org: 'acme',
      status: 200,
      error: null,
      ms: 12.5,
      records: 1,
      failed: 0,
      fault: 'slow',
      request: { data: { ä: 1 } },
      response: { result: {} },
    };
    const dropped = {
      ...detail,
      id: 8,
      status: null,
      fault: 'lost',
      request: null,
      response: null,
    };
    const { log } = JSON.parse(formatHar([detail, dropped]));
    expect(log).toMatchObject({
      version: '1.2',
      creator: { name: 'svc', version: expect.any(String) },
    });
    for (const entry of log.entries) {
      expect(entry).toMatchObject({ startedDateTime: expect.any(String), time: 12.5, cache: {} });
      expect(entry.timings).toEqual({ send: 0, wait: 12.5, receive: 0 });
      for (const message of [entry.request, entry.response]) {
        expect(message).toMatchObject({
          httpVersion: 'HTTP/1.1',
          cookies: [],
          headersSize: -1,
          bodySize: expect.any(Number),
        });
        expect(Array.isArray(message.headers)).toBe(true);
      }
      expect(entry.request).toMatchObject({
        method: 'POST',
        url: expect.stringMatching(/^http:\/\//),
        queryString: [],
      });
      expect(entry.response).toMatchObject({
        status: expect.any(Number),
        statusText: expect.any(String),
        redirectURL: '',
      });
      expect(entry.response.content).toMatchObject({
        size: expect.any(Number),
        mimeType: 'application/json',
      });
    }
    const [first, second] = log.entries;
    expect(first.request.postData).toEqual({
      mimeType: 'application/json',
      text: '{"data":{"ä":1}}',
    });
    expect(first.request.bodySize).toBe(Buffer.byteLength('{"data":{"ä":1}}'));
    expect([first.comment, second.response.status]).toEqual([
      'request 7, users.add, org acme, fault slow',
      0,
    ]);
  });
});
