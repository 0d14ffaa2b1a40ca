import { describe, expect, it } from 'vitest';
import { secondKey, serviceWorld, type World } from './world.ts';

const BASE = '/v2/workspace/advancedwebhook/endpoints';
const CONFIG = '/v2/workspace/advancedwebhookconfig/update';
const URL = 'https://example.com/hook';

async function enabledWorld(): Promise<World> {
  const world = await serviceWorld();
  await world.call(CONFIG, { isEnabled: true });
  return world;
}

const create = async ({ call }: World, data: object = {}): Promise<string> =>
  (await call(`${BASE}/create`, { url: URL, ...data })).body.result?.data.id;

const success = (message: string, data: object) => ({
  http: 200,
  body: { result: { status: 'success', message, data } },
});
const UNKNOWN = {
  http: 404,
  body: { error: { status: 'NOT_FOUND', message: 'Advanced webhook provider request failed.' } },
};

describe('an endpoint', () => {
  it('is created with what is unset as null', async () => {
    const { call } = await enabledWorld();
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

  it('is created with everything, and keeps its metadata to itself', async () => {
    const world = await enabledWorld();
    const settings = {
      url: 'http://example.com:8080/x',
      description: 'all of it',
      filterTypes: ['comment.add', 'own.event'],
      channels: ['c1'],
      disabled: true,
      rateLimit: 65_535,
      uid: 'mine',
    };
    const { body } = await world.call(`${BASE}/create`, { ...settings, metadata: { team: 'a' } });
    expect(body.result?.data).toEqual({
      ...settings,
      id: expect.any(String),
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const [row] = await world.store.read((database) => database.selectFrom('endpoints').selectAll().execute());
    expect(JSON.parse(row?.metadata ?? '')).toEqual({ team: 'a' });
  });

  it('may not have the uid of another, unless that is of another API key', async () => {
    const world = await enabledWorld();
    const second = await secondKey(world);
    await create(world, { uid: 'u' });
    const { http, body } = await world.call(`${BASE}/create`, { url: URL, uid: 'u' });
    expect([http, body.error?.status]).toEqual([409, 'ALREADY_EXISTS']);
    await world.call(CONFIG, { isEnabled: true }, second);
    expect((await world.call(`${BASE}/create`, { url: URL, uid: 'u' }, second)).http).toBe(200);
  });

  it('has a secret of 24 random bytes, which stays when it changes', async () => {
    const world = await enabledWorld();
    const [endpointId, other] = [await create(world), await create(world)];
    const secretOf = (id: string) => world.call(`${BASE}/secret/get`, { endpointId: id });
    const first = await secretOf(endpointId);
    expect(first).toEqual(
      success('Advanced webhook endpoint secret retrieved successfully.', {
        endpointId,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
      }),
    );
    await world.call(`${BASE}/update`, { endpointId, disabled: true });
    expect(await secretOf(endpointId)).toEqual(first);
    expect((await secretOf(other)).body.result?.data.secret).not.toBe(first.body.result?.data.secret);
  });

  it('changes in what is given alone', async () => {
    const world = await enabledWorld();
    const endpointId = await create(world, { description: 'old', uid: 'u', filterTypes: ['comment.add'] });
    world.clock.time += 1_000;
    expect(await world.call(`${BASE}/update`, { endpointId, disabled: true, rateLimit: 5 })).toEqual(
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

  it('is deleted for good', async () => {
    const world = await enabledWorld();
    const endpointId = await create(world);
    expect(await world.call(`${BASE}/delete`, { endpointId })).toEqual(
      success('Advanced webhook endpoint deleted successfully.', { endpointId, deleted: true }),
    );
    expect(await world.call(`${BASE}/delete`, { endpointId })).toEqual(UNKNOWN);
    expect(await world.call(`${BASE}/secret/get`, { endpointId })).toEqual(UNKNOWN);
    expect(await world.call(`${BASE}/update`, { endpointId, disabled: true })).toEqual(UNKNOWN);
  });

  it('is unknown to other API keys', async () => {
    const world = await enabledWorld();
    const second = await secondKey(world);
    await world.call(CONFIG, { isEnabled: true }, second);
    expect(await world.call(`${BASE}/delete`, { endpointId: await create(world) }, second)).toEqual(UNKNOWN);
    expect((await world.call(`${BASE}/get`, {}, second)).body.result?.data.endpoints).toEqual([]);
  });

  const URL_REFUSAL = 'url must be a valid http(s) URL.';
  it.each([
    [{}, URL_REFUSAL],
    [{ url: 'no' }, URL_REFUSAL],
    [{ url: 'ftp://example.com' }, URL_REFUSAL],
    [{ url: 7 }, URL_REFUSAL],
    [{ url: URL, filterTypes: [] }, /^filterTypes: /],
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
  ])('is not made of %j', async (data, message) => {
    const { call } = await enabledWorld();
    const { body } = await call(`${BASE}/create`, data);
    expect(body.error?.status).toBe('INVALID_ARGUMENT');
    expect(body.error?.message).toMatch(message);
    expect((await call(`${BASE}/get`, {})).body.result?.data.endpoints).toEqual([]);
  });
});

describe('the list of endpoints', () => {
  const list = async ({ call }: World, data: object = {}) => (await call(`${BASE}/get`, data)).body.result?.data;

  it('is empty and done at first', async () => {
    const { call } = await enabledWorld();
    expect(await call(`${BASE}/get`, {})).toEqual(
      success('Advanced webhook endpoints retrieved successfully.', {
        endpoints: [],
        iterator: null,
        prevIterator: null,
        done: true,
      }),
    );
  });

  it('leads from the newest to the oldest, and back', async () => {
    const world = await enabledWorld();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(await create(world));
    const idsOf = (page: { endpoints: { id: string }[] }) => page.endpoints.map(({ id }) => id);
    const first = await list(world, { limit: 2 });
    expect([idsOf(first), first.done, first.prevIterator]).toEqual([ids.slice(0, 2), false, null]);
    const second = await list(world, { limit: 2, iterator: first.iterator });
    expect([idsOf(second), second.done]).toEqual([ids.slice(2, 4), false]);
    const third = await list(world, { limit: 2, iterator: second.iterator });
    expect([idsOf(third), third.done, third.iterator]).toEqual([ids.slice(4), true, null]);
    const back = await list(world, { limit: 2, iterator: third.prevIterator });
    expect(back).toEqual(second);
    expect(await list(world, { limit: 2, iterator: back.prevIterator })).toEqual(first);
  });

  it('is done when the last page is just full', async () => {
    const world = await enabledWorld();
    for (let n = 0; n < 2; n++) await create(world);
    expect((await list(world, { limit: 2 })).done).toBe(true);
  });

  it('has 50 endpoints a page', async () => {
    const world = await enabledWorld();
    for (let n = 0; n < 51; n++) await create(world);
    const page = await list(world);
    expect([page.endpoints.length, page.done]).toEqual([50, false]);
  });

  it.each([{ limit: 0 }, { limit: 251 }, { limit: 1.5 }, { limit: '5' }, { iterator: 'no' }, { iterator: '-no' }])(
    'refuses %j, by name',
    async (data) => {
      const { call } = await enabledWorld();
      const { body } = await call(`${BASE}/get`, data);
      expect(body.error?.status).toBe('INVALID_ARGUMENT');
      expect(body.error?.details?.issues).toEqual([expect.objectContaining({ path: Object.keys(data) })]);
    },
  );
});

describe('the switch', () => {
  const calls = [
    ['get', {}],
    ['create', { url: URL }],
    ['update', { endpointId: 'e', disabled: true }],
    ['delete', { endpointId: 'e' }],
    ['secret/get', { endpointId: 'e' }],
  ] as const;

  it.each(calls)('that was never set refuses %s', async (operation, data) => {
    const { call } = await serviceWorld();
    const { http, body } = await call(`${BASE}/${operation}`, data);
    expect([http, body.error?.status]).toEqual([400, 'FAILED_PRECONDITION']);
    expect(body.error?.message).toMatch(/^Advanced webhooks are not configured for this workspace\. \S/);
  });

  it.each(calls)('that is off refuses %s', async (operation, data) => {
    const { call } = await enabledWorld();
    await call(CONFIG, { isEnabled: false });
    const { body } = await call(`${BASE}/${operation}`, data);
    expect(body.error?.status).toBe('FAILED_PRECONDITION');
    expect(body.error?.message).toMatch(/^Advanced webhooks are disabled for this workspace\. \S/);
  });

  it('keeps the endpoints while it is off', async () => {
    const world = await enabledWorld();
    const id = await create(world);
    await world.call(CONFIG, { isEnabled: false });
    await world.call(CONFIG, { isEnabled: true });
    const { body } = await world.call(`${BASE}/get`, {});
    expect(body.result?.data.endpoints).toEqual([expect.objectContaining({ id })]);
  });
});
