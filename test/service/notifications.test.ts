import { describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './test-service.ts';

const ADD = '/v2/notifications/add';
const DATA = '/v1/users/data/get';
const organizationId = 'acme';
const IN_2100 = 4_102_444_800;

const notification = {
  organizationId,
  documentId: 'd1',
  actionUser: { userId: 'u0' },
  displayHeadlineMessageTemplate: 'Hello',
  displayBodyMessage: 'World',
  notifyUsers: [] as object[],
};

/** Starts a service with an organization that has the document d1 and the members m1 and m2. */
async function startWithMembers(): Promise<TestService> {
  const service = await startTestService();
  await service.call('/v1/users/add', {
    organizationId,
    users: [{ userId: 'm1' }, { userId: 'm2' }],
  });
  await service.call('/v1/organizations/documents/add', {
    organizationId,
    documents: [{ documentId: 'd1' }],
  });
  return service;
}

const readNotifiedUsers = async ({ store }: TestService) => {
  const rows = await store.read((database) =>
    database.selectFrom('participants').select('userId').orderBy('userId').execute(),
  );
  return rows.map(({ userId }) => userId);
};

const notifyOnly = (...userIds: string[]) => ({
  notifyUsers: userIds.map((userId) => ({ userId })),
  notifyAll: false,
});

describe('a notification reaches', () => {
  it('the members of the organization and the named users, each once', async () => {
    const service = await startWithMembers();
    await service.call('/v2/users/add', {
      organizationId,
      documentId: 'd1',
      users: [{ userId: 'of-document' }],
    });
    await service.call(ADD, {
      ...notification,
      notifyUsers: [{ userId: 'm1' }, { userId: 'guest' }, { userId: 'm1' }],
    });
    expect(await readNotifiedUsers(service)).toEqual(['guest', 'm1', 'm2']);
  });

  it('only the named users if notifyAll is false', async () => {
    const service = await startWithMembers();
    await service.call(ADD, { ...notification, ...notifyOnly('m2') });
    expect(await readNotifiedUsers(service)).toEqual(['m2']);
  });

  it('every member of a large organization', async () => {
    const service = await startWithMembers();
    const users = Array.from({ length: 450 }, (_, n) => ({ userId: `u${n}` }));
    await service.call('/v1/users/add', { organizationId, users });
    await service.call(ADD, notification);
    expect(await readNotifiedUsers(service)).toHaveLength(452);
  });

  it.each([
    ['a millisecond before it ends', -1, ['guest', 'm1', 'm2']],
    ['at its end', 0, ['m1', 'm2']],
  ])('a member for a while, %s', async (_, sinceEnd, expected) => {
    const service = await startWithMembers();
    await service.call('/v2/auth/permissions/add', {
      user: { userId: 'guest' },
      permissions: {
        resources: [{ type: 'organization', id: organizationId, expiresAt: IN_2100 }],
      },
    });
    service.clock.time = IN_2100 * 1000 + sinceEnd;
    await service.call(ADD, notification);
    expect(await readNotifiedUsers(service)).toEqual(expected);
  });

  it('no user twice if it is sent again with the same ID', async () => {
    const service = await startWithMembers();
    await service.call(ADD, { ...notification, ...notifyOnly('m1'), notificationId: 'n_1' });
    const again = await service.call(ADD, {
      ...notification,
      notificationId: 'n_1',
      displayBodyMessage: 'Other',
    });
    expect(again.http).toBe(200);
    expect(await readNotifiedUsers(service)).toEqual(['m1']);
    const { body } = await service.call(DATA, { organizationId, userId: 'm1' });
    expect(body.result?.data.notifications).toMatchObject([
      { notificationId: 'n_1', displayBodyMessage: 'World' },
    ]);
  });

  it('users again if it has no ID, with a generated ID each time', async () => {
    const { call } = await startWithMembers();
    for (let times = 0; times < 2; times++)
      await call(ADD, { ...notification, ...notifyOnly('m1') });
    const { body } = await call(DATA, { organizationId, userId: 'm1' });
    const ids = body.result?.data.notifications.map(
      (item: { notificationId: string }) => item.notificationId,
    );
    expect(new Set(ids).size).toBe(2);
    expect(ids).toEqual([expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/)]);
  });

  it('only users with a matching context, if it has a context', async () => {
    const service = await startWithMembers();
    const users = [
      { userId: 'both', context: { access: { team: ['legal', 'sales'], floor: 4 } } },
      { userId: 'one', context: { access: { team: 'legal' } } },
      { userId: 'text', context: { access: { team: 'legal', floor: '4' } } },
      { userId: 'odd', context: null },
    ];
    await service.call('/v1/users/add', { organizationId, users });
    await service.call(ADD, { ...notification, context: { access: { team: 'legal', floor: 4 } } });
    expect(await readNotifiedUsers(service)).toEqual(['both']);
  });
});

describe('verifying permissions', () => {
  /**
   * The folders root > a > b with the document in b, one user per level, and one with temporary
   * access.
   */
  async function withLevels(accessTypes: { a?: string; b?: string }): Promise<TestService> {
    const service = await startTestService();
    const { call } = service;
    const folders = [
      { folderId: 'a', ...(accessTypes.a && { accessType: accessTypes.a }) },
      { folderId: 'b', parentFolderId: 'a', ...(accessTypes.b && { accessType: accessTypes.b }) },
    ];
    await call('/v2/organizations/folders/add', {
      organizationId,
      createOrganization: true,
      folders,
    });
    const documents = [{ documentId: 'd1' }];
    await call('/v1/organizations/documents/add', { organizationId, folderId: 'b', documents });
    const add = (userId: string, target: object) =>
      call('/v1/users/add', { organizationId, ...target, users: [{ userId }] });
    await add('of-organization', {});
    await add('of-a', { folderId: 'a' });
    await add('of-b', { folderId: 'b' });
    await add('of-document', { documentId: 'd1' });
    const resources = [{ type: 'document', id: 'd1', organizationId, expiresAt: IN_2100 }];
    await call('/v2/auth/permissions/add', {
      user: { userId: 'for-a-while' },
      permissions: { resources },
    });
    return service;
  }

  const everyone = notifyOnly(
    'of-organization',
    'of-a',
    'of-b',
    'of-document',
    'for-a-while',
    'stranger',
  );

  it.each([
    [{}, ['for-a-while', 'of-a', 'of-b', 'of-document', 'of-organization']],
    [{ a: 'restricted', b: 'public' }, ['for-a-while', 'of-a', 'of-b', 'of-document']],
    [{ a: 'restricted' }, ['for-a-while', 'of-a', 'of-b', 'of-document']],
    [{ b: 'restricted' }, ['for-a-while', 'of-b', 'of-document']],
    [{ a: 'restricted', b: 'restricted' }, ['for-a-while', 'of-b', 'of-document']],
  ])(
    'notifies the users that can open the document, with folders %j',
    async (accessTypes, notified) => {
      const service = await withLevels(accessTypes);
      await service.call(ADD, { ...notification, ...everyone, verifyUserPermissions: true });
      expect(await readNotifiedUsers(service)).toEqual(notified);
    },
  );

  it('notifies only members of a restricted document', async () => {
    const service = await withLevels({});
    await service.store.write((database) =>
      database.updateTable('documents').set({ accessType: 'restricted' }).execute(),
    );
    await service.call(ADD, { ...notification, ...everyone, verifyUserPermissions: true });
    expect(await readNotifiedUsers(service)).toEqual(['for-a-while', 'of-document']);
  });

  it('ignores expired access', async () => {
    const service = await withLevels({});
    service.clock.time = IN_2100 * 1000;
    await service.call(ADD, {
      ...notification,
      ...notifyOnly('for-a-while'),
      verifyUserPermissions: true,
    });
    expect(await readNotifiedUsers(service)).toEqual([]);
  });
});

describe('the target of a notification', () => {
  it.each([
    [{ organizationId: 'no' }, 'Organization not found.'],
    [{ organizationId: 'no', createDocument: true }, 'Organization not found.'],
    [{ documentId: 'no' }, 'Document not found.'],
    [{ organizationId: 'no', createOrganization: true }, 'Document not found.'],
  ])('must exist: %j', async (change, message) => {
    const service = await startWithMembers();
    const { http, body } = await service.call(ADD, { ...notification, ...change });
    expect([http, body.error]).toEqual([400, { status: 'INVALID_ARGUMENT', message }]);
    const organizations = await service.store.read((database) =>
      database.selectFrom('organizations').select('organizationId').execute(),
    );
    expect(organizations).toEqual([{ organizationId }]);
  });

  it('is created if requested', async () => {
    const { call } = await startTestService();
    const create = { createOrganization: true, createDocument: true };
    expect((await call(ADD, { ...notification, ...notifyOnly('u1'), ...create })).http).toBe(200);
    const { body } = await call('/v2/organizations/documents/get', { organizationId });
    expect(body.result?.data).toEqual([{ id: 'd1', disabled: false, accessType: 'public' }]);
  });
});

describe('a notification is rejected', () => {
  it.each([
    [
      { displayHeadlineMessageTemplate: undefined },
      'Display headline message template is required.',
    ],
    [{ displayBodyMessage: undefined }, 'Display body message is required.'],
    [{ notificationId: 'no spaces' }, 'notificationId: '],
    [{ notificationId: '' }, 'notificationId: '],
    [{ notifyUsers: [], notifyAll: false }, 'notifyUsers: '],
    [{ notifyUsers: undefined }, 'Notify users is required.'],
    [{ context: {} }, 'Access is required (context.access).'],
    [{ context: { access: { team: ['a'] } } }, 'context.access.team: '],
    [{ actionUser: 'u1' }, 'actionUser: '],
  ])('for %j', async (change, field) => {
    const { call } = await startWithMembers();
    const { http, body } = await call(ADD, { ...notification, ...change });
    expect([http, body.error?.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(body.error?.message.startsWith(field), body.error?.message).toBe(true);
  });

  it('unless a resolver supplies the missing text', async () => {
    const { call } = await startWithMembers();
    const { displayBodyMessage: _, displayHeadlineMessageTemplate: __, ...bare } = notification;
    expect((await call(ADD, { ...bare, isNotificationResolverUsed: true })).http).toBe(200);
  });
});
