import { describe, expect, it } from 'vitest';
import { addSecondKey, startTestService, success, type TestService } from './test-service.ts';

const BASE = '/v2/workspace/advancedwebhook/endpoints';
const CONFIG = '/v2/workspace/advancedwebhookconfig/update';
const URL = 'https://example.com/hook';

async function startWithWebhooks(): Promise<TestService> {
  const service = await startTestService();
  await service.call(CONFIG, { isEnabled: true });
  return service;
}

const create = async ({ call }: TestService, data: object = {}): Promise<string> =>
  (await call(`${BASE}/create`, { url: URL, ...data })).body.result?.data.id;

const UNKNOWN = {
  http: 404,
  body: { error: { status: 'NOT_FOUND', message: 'Advanced webhook provider request failed.' } },
};

describe('an endpoint', () => {
  it('is created with null for unset fields', async () => {
    const { call } = await startWithWebhooks();
    expect(await call(`${BASE}/create`, { url: URL })).toEqual(
      success('Advanced webhook endpoint created successfully.', {
        id: expect.stringMatching(/^ep_[0-9A-Za-z]{27}$/),
        url: URL,
        description: null,
        filterTypes: null,
        channels: null,
        disabled: false,
        rateLimit: null,
        uid: null,
        createdAt: '2023-11-14T22:13:20.000Z',
        updatedAt: '2023-11-14T22:13:20.000Z',
      }),
    );
  });

  it('is created with all settings, and never returns its metadata', async () => {
    const service = await startWithWebhooks();
    const settings = {
      url: 'http://example.com:8080/x',
      description: 'all of it',
      filterTypes: ['comment.add', 'own.event'],
      channels: ['c1'],
      disabled: true,
      rateLimit: 65_535,
      uid: 'mine',
    };
    const { body } = await service.call(`${BASE}/create`, { ...settings, metadata: { team: 'a' } });
    expect(body.result?.data).toEqual({
      ...settings,
      id: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const [row] = await service.store.read((database) =>
      database.selectFrom('endpoints').selectAll().execute(),
    );
    expect(JSON.parse(row?.metadata ?? '')).toEqual({ team: 'a' });
  });

  it('cannot have the uid of another endpoint of the same API key', async () => {
    const service = await startWithWebhooks();
    const second = await addSecondKey(service);
    await create(service, { uid: 'u' });
    const { http, body } = await service.call(`${BASE}/create`, { url: URL, uid: 'u' });
    expect([http, body.error?.status]).toEqual([409, 'ALREADY_EXISTS']);
    await service.call(CONFIG, { isEnabled: true }, second);
    expect((await service.call(`${BASE}/create`, { url: URL, uid: 'u' }, second)).http).toBe(200);
  });

  it('has a secret of 24 random bytes, which updates preserve', async () => {
    const service = await startWithWebhooks();
    const [endpointId, other] = [await create(service), await create(service)];
    const secretOf = (id: string) => service.call(`${BASE}/secret/get`, { endpointId: id });
    const first = await secretOf(endpointId);
    expect(first).toEqual(
      success('Advanced webhook endpoint secret retrieved successfully.', {
        endpointId,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
      }),
    );
    await service.call(`${BASE}/update`, { endpointId, disabled: true });
    expect(await secretOf(endpointId)).toEqual(first);
    expect((await secretOf(other)).body.result?.data.secret).not.toBe(
      first.body.result?.data.secret,
    );
  });

  it('changes only in the updated settings', async () => {
    const service = await startWithWebhooks();
    const endpointId = await create(service, {
      description: 'old',
      uid: 'u',
      filterTypes: ['comment.add'],
    });
    service.clock.time += 1_000;
    expect(
      await service.call(`${BASE}/update`, { endpointId, disabled: true, rateLimit: 5 }),
    ).toEqual(
      success('Advanced webhook endpoint updated successfully.', {
        id: endpointId,
        url: URL,
        description: 'old',
        filterTypes: ['comment.add'],
        channels: null,
        disabled: true,
        rateLimit: 5,
        uid: 'u',
        createdAt: '2023-11-14T22:13:20.000Z',
        updatedAt: '2023-11-14T22:13:21.000Z',
      }),
    );
  });

  it('is deleted permanently', async () => {
    const service = await startWithWebhooks();
    const endpointId = await create(service);
    expect(await service.call(`${BASE}/delete`, { endpointId })).toEqual(
      success('Advanced webhook endpoint deleted successfully.', { endpointId, deleted: true }),
    );
    expect(await service.call(`${BASE}/delete`, { endpointId })).toEqual(UNKNOWN);
    expect(await service.call(`${BASE}/secret/get`, { endpointId })).toEqual(UNKNOWN);
    expect(await service.call(`${BASE}/update`, { endpointId, disabled: true })).toEqual(UNKNOWN);
  });

  it('is not visible to other API keys', async () => {
    const service = await startWithWebhooks();
    const second = await addSecondKey(service);
    await service.call(CONFIG, { isEnabled: true }, second);
    expect(
      await service.call(`${BASE}/delete`, { endpointId: await create(service) }, second),
    ).toEqual(UNKNOWN);
    expect((await service.call(`${BASE}/get`, {}, second)).body.result?.data.endpoints).toEqual([]);
  });

  const URL_REFUSAL = 'url must be a valid http(s) URL.';
  it.each([
    [{}, URL_REFUSAL],
    [{ url: 'no' }, URL_REFUSAL],
    [{ url: 'ftp://example.com' }, URL_REFUSAL],
    [{ url: 7 }, URL_REFUSAL],
    [{ url: URL, filterTypes: [] }, /^filterTypes is empty$/],
    [{ url: URL, filterTypes: ['a b'] }, /^filterTypes\[0\]: /],
    [{ url: URL, channels: Array(11).fill('c') }, /^channels: /],
    [{ url: URL, channels: ['x'.repeat(129)] }, /^channels\[0\]: /],
    [{ url: URL, rateLimit: 0 }, /^rateLimit: /],
    [{ url: URL, rateLimit: 1.5 }, /^rateLimit: /],
    [{ url: URL, rateLimit: 65_536 }, /^rateLimit: /],
    [{ url: URL, uid: 'ep_x' }, /^uid: /],
    [{ url: URL, uid: '' }, /^uid: /],
    [{ url: URL, metadata: { a: 1 } }, /^metadata\.a: /],
    [{ url: URL, disabled: 'no' }, /^disabled: /],
  ])('is not created from %j', async (data, message) => {
    const { call } = await startWithWebhooks();
    const { body } = await call(`${BASE}/create`, data);
    expect(body.error?.status).toBe('INVALID_ARGUMENT');
    expect(body.error?.message).toMatch(message);
    expect((await call(`${BASE}/get`, {})).body.result?.data.endpoints).toEqual([]);
  });
});

describe('the list of endpoints', () => {
  const list = async ({ call }: TestService, data: object = {}) =>
    (await call(`${BASE}/get`, data)).body.result?.data;

  it('is empty and done initially', async () => {
    const { call } = await startWithWebhooks();
    expect(await call(`${BASE}/get`, {})).toEqual(
      success('Advanced webhook endpoints retrieved successfully.', {
        endpoints: [],
        iterator: null,
        prevIterator: null,
        done: true,
      }),
    );
  });

  it('pages from the newest to the oldest endpoint, and back', async () => {
    const service = await startWithWebhooks();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(await create(service));
    const idsOf = (page: { endpoints: { id: string }[] }) => page.endpoints.map(({ id }) => id);
    const first = await list(service, { limit: 2 });
    expect([idsOf(first), first.done, first.prevIterator]).toEqual([ids.slice(0, 2), false, null]);
    const second = await list(service, { limit: 2, iterator: first.iterator });
    expect([idsOf(second), second.done]).toEqual([ids.slice(2, 4), false]);
    const third = await list(service, { limit: 2, iterator: second.iterator });
    expect([idsOf(third), third.done, third.iterator]).toEqual([ids.slice(4), true, null]);
    const back = await list(service, { limit: 2, iterator: third.prevIterator });
    expect(back).toEqual(second);
    expect(await list(service, { limit: 2, iterator: back.prevIterator })).toEqual(first);
  });

  it('is done if the last page is exactly full', async () => {
    const service = await startWithWebhooks();
    for (let n = 0; n < 2; n++) await create(service);
    expect((await list(service, { limit: 2 })).done).toBe(true);
  });

  it('has 50 endpoints per page', async () => {
    const service = await startWithWebhooks();
    for (let n = 0; n < 51; n++) await create(service);
    const page = await list(service);
    expect([page.endpoints.length, page.done]).toEqual([50, false]);
  });

  it.each([
    { limit: 0 },
    { limit: 251 },
    { limit: 1.5 },
    { limit: '5' },
    { iterator: 'no' },
    { iterator: '-no' },
  ])('rejects %j with the field name', async (data) => {
    const { call } = await startWithWebhooks();
    const { body } = await call(`${BASE}/get`, data);
    expect(body.error?.status).toBe('INVALID_ARGUMENT');
    expect(body.error?.details?.issues).toEqual([
      expect.objectContaining({ path: Object.keys(data) }),
    ]);
  });
});

describe('advanced webhooks', () => {
  const calls = [
    ['get', {}],
    ['create', { url: URL }],
    ['update', { endpointId: 'e', disabled: true }],
    ['delete', { endpointId: 'e' }],
    ['secret/get', { endpointId: 'e' }],
  ] as const;

  it.each(calls)('that were never configured reject %s', async (operation, data) => {
    const { call } = await startTestService();
    const { http, body } = await call(`${BASE}/${operation}`, data);
    expect([http, body.error?.status]).toEqual([400, 'FAILED_PRECONDITION']);
    expect(body.error?.message).toMatch(
      /^Advanced webhooks are not configured for this workspace\. \S/,
    );
  });

  it.each(calls)('that are disabled reject %s', async (operation, data) => {
    const { call } = await startWithWebhooks();
    await call(CONFIG, { isEnabled: false });
    const { body } = await call(`${BASE}/${operation}`, data);
    expect(body.error?.status).toBe('FAILED_PRECONDITION');
    expect(body.error?.message).toMatch(/^Advanced webhooks are disabled for this workspace\. \S/);
  });

  it('keep their endpoints while disabled', async () => {
    const service = await startWithWebhooks();
    const id = await create(service);
    await service.call(CONFIG, { isEnabled: false });
    await service.call(CONFIG, { isEnabled: true });
    const { body } = await service.call(`${BASE}/get`, {});
    expect(body.result?.data.endpoints).toEqual([expect.objectContaining({ id })]);
  });
});
