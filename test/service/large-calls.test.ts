import { describe, expect, it } from 'vitest';
import { MAX_UNCHECKED_BYTES } from '../../src/service/calls/body.ts';
import { post, startTestService, type TestService } from './test-service.ts';

/** Enough users for a large body. */
const COUNT = Math.ceil(MAX_UNCHECKED_BYTES / `{"userId":"a-0"}`.length);

function addUsers({ fetch, keyHeaders }: TestService, prefix: string, count: number) {
  const users = Array.from({ length: count }, (_, at) => ({ userId: `${prefix}-${at}` }));
  const body = JSON.stringify({ data: { organizationId: 'acme', users } });
  const headers = { ...keyHeaders(), 'content-length': String(Buffer.byteLength(body)) };
  return post(fetch, '/v1/users/add', body, headers);
}

describe('large calls', () => {
  it('let small calls of the same key pass', async () => {
    const service = await startTestService();
    const settled: string[] = [];
    const call = async (name: string, count: number) => {
      const { status } = await addUsers(service, name, count);
      settled.push(`${name} ${status}`);
    };
    const large = ['a', 'b', 'c'].map((name) => call(name, COUNT));
    await call('small', 1);
    expect(settled.length).toBeLessThanOrEqual(2);
    await Promise.all(large);
    expect(settled.toSorted()).toEqual(['a 200', 'b 200', 'c 200', 'small 200']);
  });

  it('let reads pass, which see the records of none or all of their transaction', async () => {
    const service = await startTestService();
    const { call, store } = service;
    let isSettled = false;
    const large = addUsers(service, 'a', 5 * COUNT).finally(() => {
      isSettled = true;
    });
    const counts = new Set<number>();
    let reads = 0;
    while (!isSettled) {
      reads += 1;
      await call('/v2/organizations/documents/get', { organizationId: 'acme' });
      const found = await store.read((database) =>
        database
          .selectFrom('users')
          .select(({ fn }) => fn.countAll().as('count'))
          .executeTakeFirstOrThrow(),
      );
      counts.add(Number(found.count));
    }
    expect((await large).status).toBe(200);
    expect(reads).toBeGreaterThan(2);
    expect([0, 5 * COUNT]).toEqual(expect.arrayContaining([...counts]));
  });

  it('may create the same organization as small calls at the same time', async () => {
    const service = await startTestService();
    const responses = await Promise.all([
      addUsers(service, 'a', COUNT),
      addUsers(service, 'b', 1),
      addUsers(service, 'c', COUNT),
      addUsers(service, 'd', 1),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(service.reported).toEqual([]);
    const organizations = await service.store.read((database) =>
      database.selectFrom('organizations').select('organizationId').execute(),
    );
    expect(organizations).toEqual([{ organizationId: 'acme' }]);
  });

  it('give folders the ancestors of their parents, which small calls add and move', async () => {
    const { call, store } = await startTestService();
    const base = { organizationId: 'acme', createOrganization: true };
    const add = (...folders: object[]) =>
      call('/v2/organizations/folders/add', { ...base, folders });
    await add(
      { folderId: 'from' },
      { folderId: 'to' },
      { folderId: 'top', parentFolderId: 'from' },
    );
    const many = Array.from({ length: COUNT }, (_, n) => ({
      folderId: `f${n}`,
      parentFolderId: n === 0 ? 'top' : `f${Math.floor((n - 1) / 7)}`,
    }));
    const shared = many.slice(1, 40).map(({ folderId }) => folderId);
    const [large, , ...small] = await Promise.all([
      add(...many),
      call('/v2/organizations/folders/update', {
        ...base,
        folders: [{ folderId: 'top', parentFolderId: 'to' }],
      }),
      ...shared.map((folderId) => add({ folderId, parentFolderId: 'to' })),
    ]);
    for (const [at, folderId] of shared.entries()) {
      const results = [large, small[at]].map((response) => response?.body.result?.data[folderId]);
      expect(results.filter(({ success }) => success)).toHaveLength(1);
    }
    const rows = await store.read((database) =>
      database.selectFrom('folders').select(['folderId', 'parentFolderId', 'ancestors']).execute(),
    );
    const ancestors = new Map(rows.map((row) => [row.folderId, JSON.parse(row.ancestors)]));
    ancestors.set('root', []);
    for (const { folderId, parentFolderId } of rows)
      expect(ancestors.get(folderId)).toEqual([...ancestors.get(parentFolderId), parentFolderId]);
  });

  it('notify once if a small call has the same notification ID', async () => {
    const { call, store } = await startTestService();
    const notifyUsers = Array.from({ length: COUNT }, (_, n) => ({ userId: `u${n}` }));
    const notify = (users: readonly object[]) =>
      call('/v2/notifications/add', {
        organizationId: 'acme',
        createOrganization: true,
        documentId: 'd1',
        createDocument: true,
        notificationId: 'n1',
        notifyAll: false,
        notifyUsers: users,
        actionUser: { userId: 'u1' },
        displayHeadlineMessageTemplate: 'Hello',
        displayBodyMessage: 'Hello',
      });
    const responses = await Promise.all([notify(notifyUsers), notify(notifyUsers.slice(0, 1))]);
    expect(responses.map(({ http, body }) => [http, body.error])).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    const items = await store.read((database) =>
      database.selectFrom('userData').select('notificationId').execute(),
    );
    expect(items).toEqual([{ notificationId: 'n1' }]);
  });

  it('change nothing if one of their records is invalid', async () => {
    const service = await startTestService();
    const { fetch, keyHeaders, store } = service;
    const users = Array.from({ length: COUNT }, (_, at) => ({ userId: `u${at}` }));
    const data = { organizationId: 'acme', users: [...users, { userId: 7 }] };
    const response = await post(fetch, '/v1/users/add', JSON.stringify({ data }), keyHeaders());
    expect(response.status).toBe(400);
    const count = await store.read((database) =>
      database.selectFrom('users').select('userId').execute(),
    );
    expect(count).toEqual([]);
  });
});
