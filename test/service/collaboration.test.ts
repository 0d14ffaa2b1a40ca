import { describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './test-service.ts';

const organizationId = 'acme';
const documentId = 'd1';

const readPresence = ({ store }: TestService) =>
  store.read((database) =>
    database
      .selectFrom('presence')
      .select(['documentId', 'userId', 'name', 'status', 'otherFields'])
      .execute(),
  );

describe('presence', () => {
  it('is updated field by field, and added if it does not exist', async () => {
    const service = await startTestService();
    const update = (users: object[]) =>
      service.call('/v2/presence/update', { organizationId, documentId, users });
    await update([{ userId: 'u1', name: 'Ada', status: 'online', color: 'red' }]);
    await update([
      { userId: 'u1', status: 'thinking' },
      { userId: 'u2' },
      { userId: 'u2', status: 'away' },
    ]);
    expect(await readPresence(service)).toEqual([
      { documentId, userId: 'u1', name: 'Ada', status: 'thinking', otherFields: '{"color":"red"}' },
      { documentId, userId: 'u2', name: null, status: 'away', otherFields: null },
    ]);
  });

  it('is deleted only for the specified users and document', async () => {
    const service = await startTestService();
    const users = Array.from({ length: 250 }, (_, n) => ({ userId: `u${n}` }));
    for (const at of ['d1', 'd2']) {
      await service.call('/v2/presence/add', { organizationId, documentId: at, users });
    }
    const userIds = [...users.slice(1).map(({ userId }) => userId), 'nobody'];
    await service.call('/v2/presence/delete', { organizationId, documentId, userIds });
    await service.call('/v2/presence/delete', {
      organizationId: 'no',
      documentId,
      userIds: ['u0'],
    });
    const left = await readPresence(service);
    expect(left.filter((row) => row.documentId === 'd1').map(({ userId }) => userId)).toEqual([
      'u0',
    ]);
    expect(left).toHaveLength(251);
  });
});

describe('activities', () => {
  const ADD = '/v2/activities/add';
  const UPDATE = '/v2/activities/update';
  const activity = { featureType: 'comment', actionType: 'added', actionUser: { userId: 'u1' } };

  const activitiesOf = async ({ store }: TestService) => {
    const rows = await store.read((database) =>
      database.selectFrom('activities').selectAll().execute(),
    );
    return rows.map(({ activityId, data, lastUpdated }) => ({
      activityId,
      ...JSON.parse(data),
      lastUpdated,
    }));
  };

  it('get generated IDs if they have none', async () => {
    const service = await startTestService();
    const activities = [activity, activity, { ...activity, id: 'a1' }];
    await service.call(ADD, { organizationId, documentId, activities });
    const ids = (await activitiesOf(service)).map(({ activityId }) => activityId);
    expect(ids.sort((a, b) => a.length - b.length)).toEqual([
      'a1',
      expect.stringMatching(/^[0-9a-f]{32}$/),
      expect.stringMatching(/^[0-9a-f]{32}$/),
    ]);
    expect(new Set(ids).size).toBe(3);
  });

  it('replace those with the same ID', async () => {
    const service = await startTestService();
    const add = (changed: object, place = documentId) =>
      service.call(ADD, {
        organizationId,
        documentId: place,
        activities: [{ ...activity, id: 'a1', ...changed }],
      });
    await add({ actionIcon: 'plus' });
    service.clock.time += 5;
    await add({ entityData: { n: 1 } }, 'd2');
    expect(await activitiesOf(service)).toEqual([
      { activityId: 'a1', ...activity, entityData: { n: 1 }, lastUpdated: service.clock.time },
    ]);
  });

  it.each([
    [{ featureType: 'huddle' }, 'activities[0].featureType: must be one of comment, reaction,'],
    [{ featureType: 'comments' }, 'activities[0].featureType: did you mean comment?'],
    [{ featureType: 'custom' }, 'Target entity ID is required (activities[0].targetEntityId).'],
  ])('are rejected with %j', async (changed, message) => {
    const service = await startTestService();
    const activities = [{ ...activity, ...changed }];
    const { http, body } = await service.call(ADD, { organizationId, documentId, activities });
    expect([http, body.error?.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(body.error?.message).toContain(message);
    expect(await activitiesOf(service)).toEqual([]);
  });

  it('accept the fields that an update may set, and keep the others', async () => {
    const service = await startTestService();
    const stray = { organizationId: 'other', documentId: 'other' };
    const activities = [
      { ...activity, ...stray, id: 'a1', entityData: { n: 1 }, actionIcon: 'plus' },
    ];
    await service.call(ADD, { organizationId, documentId, activities });
    const changes = { status: { from: 'open', to: 'done' } };
    service.clock.time += 5;
    await service.call(UPDATE, {
      organizationId,
      activities: [{ id: 'a1', changes, entityData: null, actionType: 'other', createdAt: 0 }],
    });
    expect(await activitiesOf(service)).toEqual([
      {
        activityId: 'a1',
        ...activity,
        actionIcon: 'plus',
        entityData: null,
        changes,
        lastUpdated: service.clock.time,
      },
    ]);
  });

  it('fail individually if they do not exist, even in an unknown organization', async () => {
    const { call } = await startTestService();
    const activities = Array.from({ length: 250 }, (_, n) => ({ ...activity, id: `a${n}` }));
    await call(ADD, { organizationId, documentId, activities });
    const update = async (id: string, organization = organizationId) => {
      const changes = [...activities.slice(0, 200).map(({ id: known }) => ({ id: known })), { id }];
      const { http, body } = await call(UPDATE, {
        organizationId: organization,
        activities: changes,
      });
      expect(http).toBe(200);
      return Object.entries(body.result?.data as Record<string, { success: boolean }>)
        .filter(([, { success }]) => !success)
        .map(([failed]) => failed);
    };
    expect(await update('__proto__')).toEqual(['__proto__']);
    expect(await update('no', 'elsewhere')).toHaveLength(201);
  });
});

describe('user groups', () => {
  it('belong to an organization, and contain each existing user once', async () => {
    const { call, store } = await startTestService();
    const users = Array.from({ length: 150 }, (_, n) => ({ userId: `u${n}` }));
    await call('/v1/users/add', { organizationId, users });
    await call('/v2/organizations/usergroups/add', {
      organizationId,
      organizationUserGroups: [{ groupId: 'g' }],
    });
    const userIds = [...users.map(({ userId }) => userId), 'u0', 'constructor'];
    const add = (to: string) =>
      call('/v2/organizations/usergroups/users/add', {
        organizationId: to,
        organizationUserGroupId: 'g',
        userIds,
      });
    await add(organizationId);
    const { body } = await add(organizationId);
    const failed = Object.entries(body.result?.data).filter(([, item]) => !Object(item).success);
    expect(failed.map(([id]) => id)).toEqual(['constructor']);
    const members = await store.read((database) =>
      database.selectFrom('userGroupMembers').selectAll().execute(),
    );
    expect(members).toHaveLength(150);
    expect((await add('other')).body.error).toEqual({
      status: 'INVALID_ARGUMENT',
      message: 'Organization not found.',
    });
  });
});

describe('permissions', () => {
  const ADD = '/v2/auth/permissions/add';
  const IN_2100 = 4_102_444_800;

  it('make the user a member, with a role and an expiry', async () => {
    const { call, store } = await startTestService();
    const give = (resource: object) =>
      call(ADD, {
        user: { userId: 'u1' },
        permissions: { resources: [{ type: 'folder', id: 'f1', organizationId, ...resource }] },
      });
    const membership = () =>
      store.read((database) =>
        database.selectFrom('members').selectAll().executeTakeFirstOrThrow(),
      );
    await give({ accessRole: 'viewer', expiresAt: IN_2100 });
    const membershipKey = { level: 'folder', resourceId: 'f1', userId: 'u1' };
    expect(await membership()).toMatchObject({
      ...membershipKey,
      accessRole: 'viewer',
      expiresAt: IN_2100 * 1000,
    });
    await give({});
    expect(await membership()).toMatchObject({
      ...membershipKey,
      accessRole: 'editor',
      expiresAt: null,
    });
    await give({ expiresAt: 1e300 });
    expect(await membership()).toMatchObject({ expiresAt: Number.MAX_SAFE_INTEGER });
  });

  it('for an organization make the user a member of the organization', async () => {
    const { call, store } = await startTestService();
    const resources = [{ type: 'organization', id: 'acme' }];
    await call(ADD, { user: { userId: 'u1' }, permissions: { resources } });
    const members = await store.read((database) =>
      database.selectFrom('members').selectAll().execute(),
    );
    expect(members).toMatchObject([
      { level: 'organization', resourceId: '', userId: 'u1', accessRole: 'editor' },
    ]);
  });
});
