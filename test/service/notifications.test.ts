import { describe, expect, it } from 'vitest';
import { serviceWorld, type World } from './world.ts';

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

/** An organization with the document d1 and the members m1 and m2. */
async function withMembers(): Promise<World> {
  const world = await serviceWorld();
  await world.call('/v1/users/add', { organizationId, users: [{ userId: 'm1' }, { userId: 'm2' }] });
  await world.call('/v1/organizations/documents/add', { organizationId, documents: [{ documentId: 'd1' }] });
  return world;
}

const notifiedOf = async ({ store }: World) => {
  const rows = await store.read((database) =>
    database.selectFrom('participants').select('userId').orderBy('userId').execute(),
  );
  return rows.map(({ userId }) => userId);
};

const named = (...userIds: string[]) => ({ notifyUsers: userIds.map((userId) => ({ userId })), notifyAll: false });

describe('a notification reaches', () => {
  it('the members of the organization and who is named, each once', async () => {
    const world = await withMembers();
    await world.call('/v2/users/add', {
      organizationId,
      documentId: 'd1',
      users: [{ userId: 'of-document' }],
    });
    await world.call(ADD, { ...notification, notifyUsers: [{ userId: 'm1' }, { userId: 'guest' }, { userId: 'm1' }] });
    expect(await notifiedOf(world)).toEqual(['guest', 'm1', 'm2']);
  });

  it('only who is named, with notifyAll off', async () => {
    const world = await withMembers();
    await world.call(ADD, { ...notification, ...named('m2') });
    expect(await notifiedOf(world)).toEqual(['m2']);
  });

  it('every member of a large organization', async () => {
    const world = await withMembers();
    const users = Array.from({ length: 450 }, (_, n) => ({ userId: `u${n}` }));
    await world.call('/v1/users/add', { organizationId, users });
    await world.call(ADD, notification);
    expect(await notifiedOf(world)).toHaveLength(452);
  });

  it('nobody twice: the same id is the same notification', async () => {
    const world = await withMembers();
    await world.call(ADD, { ...notification, ...named('m1'), notificationId: 'n_1' });
    const again = await world.call(ADD, { ...notification, notificationId: 'n_1', displayBodyMessage: 'Other' });
    expect(again.http).toBe(200);
    expect(await notifiedOf(world)).toEqual(['m1']);
    const { body } = await world.call(DATA, { organizationId, userId: 'm1' });
    expect(body.result?.data.notifications).toMatchObject([{ notificationId: 'n_1', displayBodyMessage: 'World' }]);
  });

  it('users again without an id, under an id made up for each', async () => {
    const { call } = await withMembers();
    for (let times = 0; times < 2; times++) await call(ADD, { ...notification, ...named('m1') });
    const { body } = await call(DATA, { organizationId, userId: 'm1' });
    const ids = body.result?.data.notifications.map((each: { notificationId: string }) => each.notificationId);
    expect(new Set(ids).size).toBe(2);
    expect(ids).toEqual([expect.stringMatching(/^[\w-]+$/), expect.stringMatching(/^[\w-]+$/)]);
  });

  it('only users in a matching context, where it has one', async () => {
    const world = await withMembers();
    const users = [
      { userId: 'both', context: { access: { team: ['legal', 'sales'], floor: 4 } } },
      { userId: 'one', context: { access: { team: 'legal' } } },
      { userId: 'text', context: { access: { team: 'legal', floor: '4' } } },
      { userId: 'odd', context: null },
    ];
    await world.call('/v1/users/add', { organizationId, users });
    await world.call(ADD, { ...notification, context: { access: { team: 'legal', floor: 4 } } });
    expect(await notifiedOf(world)).toEqual(['both']);
  });
});

describe('verifying permissions', () => {
  /** root > a > b, the document in b; one user at each level, and one with access to the document for a while. */
  async function withLevels(accessTypes: { a?: string; b?: string }): Promise<World> {
    const world = await serviceWorld();
    const { call } = world;
    const folders = [
      { folderId: 'a', ...(accessTypes.a && { accessType: accessTypes.a }) },
      { folderId: 'b', parentFolderId: 'a', ...(accessTypes.b && { accessType: accessTypes.b }) },
    ];
    await call('/v2/organizations/folders/add', { organizationId, createOrganization: true, folders });
    const documents = [{ documentId: 'd1' }];
    await call('/v1/organizations/documents/add', { organizationId, folderId: 'b', documents });
    const add = (userId: string, place: object) =>
      call('/v1/users/add', { organizationId, ...place, users: [{ userId }] });
    await add('of-organization', {});
    await add('of-a', { folderId: 'a' });
    await add('of-b', { folderId: 'b' });
    await add('of-document', { documentId: 'd1' });
    const resources = [{ type: 'document', id: 'd1', organizationId, expiresAt: IN_2100 }];
    await call('/v2/auth/permissions/add', { user: { userId: 'for-a-while' }, permissions: { resources } });
    return world;
  }

  const everyone = named('of-organization', 'of-a', 'of-b', 'of-document', 'for-a-while', 'stranger');

  it.each([
    [{}, ['for-a-while', 'of-a', 'of-b', 'of-document', 'of-organization']],
    [{ a: 'restricted', b: 'public' }, ['for-a-while', 'of-a', 'of-b', 'of-document']],
    [{ a: 'restricted' }, ['for-a-while', 'of-a', 'of-b', 'of-document']],
    [{ b: 'restricted' }, ['for-a-while', 'of-b', 'of-document']],
    [{ a: 'restricted', b: 'restricted' }, ['for-a-while', 'of-b', 'of-document']],
  ])('notifies who can open the document, with folders %j', async (accessTypes, notified) => {
    const world = await withLevels(accessTypes);
    await world.call(ADD, { ...notification, ...everyone, verifyUserPermissions: true });
    expect(await notifiedOf(world)).toEqual(notified);
  });

  it('lets nobody but its own members into a restricted document', async () => {
    const world = await withLevels({});
    await world.store.write((database) =>
      database.updateTable('documents').set({ accessType: 'restricted' }).execute(),
    );
    await world.call(ADD, { ...notification, ...everyone, verifyUserPermissions: true });
    expect(await notifiedOf(world)).toEqual(['for-a-while', 'of-document']);
  });

  it('counts access until it ends', async () => {
    const world = await withLevels({});
    world.clock.time = IN_2100 * 1000;
    await world.call(ADD, { ...notification, ...named('for-a-while'), verifyUserPermissions: true });
    expect(await notifiedOf(world)).toEqual([]);
  });
});

describe('where a notification goes', () => {
  it.each([
    [{ organizationId: 'no' }, 'Organization not found.'],
    [{ organizationId: 'no', createDocument: true }, 'Organization not found.'],
    [{ documentId: 'no' }, 'Document not found.'],
    [{ organizationId: 'no', createOrganization: true }, 'Document not found.'],
  ])('must exist: %j', async (change, message) => {
    const world = await withMembers();
    const { http, body } = await world.call(ADD, { ...notification, ...change });
    expect([http, body.error]).toEqual([400, { status: 'INVALID_ARGUMENT', message }]);
    const organizations = await world.store.read((database) =>
      database.selectFrom('organizations').select('organizationId').execute(),
    );
    expect(organizations).toEqual([{ organizationId }]);
  });

  it('is created where it is told to', async () => {
    const { call } = await serviceWorld();
    const create = { createOrganization: true, createDocument: true };
    expect((await call(ADD, { ...notification, ...named('u1'), ...create })).http).toBe(200);
    const { body } = await call('/v2/organizations/documents/get', { organizationId });
    expect(body.result?.data).toEqual([{ id: 'd1', disabled: false, accessType: 'public' }]);
  });
});

describe('a notification is refused', () => {
  it.each([
    [{ displayHeadlineMessageTemplate: undefined }, 'displayHeadlineMessageTemplate: '],
    [{ displayBodyMessage: undefined }, 'displayBodyMessage: '],
    [{ notificationId: 'no spaces' }, 'notificationId: '],
    [{ notificationId: '' }, 'notificationId: '],
    [{ notifyUsers: [], notifyAll: false }, 'notifyUsers: '],
    [{ notifyUsers: undefined }, 'notifyUsers: '],
    [{ context: {} }, 'context.access: '],
    [{ context: { access: { team: ['a'] } } }, 'context.access.team: '],
    [{ actionUser: 'u1' }, 'actionUser: '],
  ])('for %j', async (change, field) => {
    const { call } = await withMembers();
    const { http, body } = await call(ADD, { ...notification, ...change });
    expect([http, body.error?.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(body.error?.message.startsWith(field), body.error?.message).toBe(true);
  });

  it('but needs no text when a resolver supplies it', async () => {
    const { call } = await withMembers();
    const { displayBodyMessage: _, displayHeadlineMessageTemplate: __, ...bare } = notification;
    expect((await call(ADD, { ...bare, isNotificationResolverUsed: true })).http).toBe(200);
  });
});
