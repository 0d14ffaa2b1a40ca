import { describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './test-service.ts';

const organizationId = 'acme';
const documentId = 'd1';

async function startWithUser(): Promise<TestService> {
  const service = await startTestService();
  await service.call('/v1/users/add', {
    organizationId,
    users: [{ userId: 'u1', name: 'Ada', email: 'ada@example.com' }],
  });
  await service.call('/v1/organizations/documents/add', {
    organizationId,
    documents: [{ documentId }],
  });
  return service;
}

const success = (message: string, rest: object) => ({
  http: 200,
  body: { result: { status: 'success', message, ...rest } },
});
const refusal = (message: string) => ({
  http: 400,
  body: { error: { status: 'INVALID_ARGUMENT', message } },
});

/** Complete requests and responses, exactly as the interface defines them. */
describe('exact responses', () => {
  it('add users, v2', async () => {
    const { call } = await startTestService();
    const users = [{ userId: 'u1', name: 'Ada', accessRole: 'viewer' }];
    expect(await call('/v2/users/add', { organizationId, users })).toEqual(
      refusal('Organization not found.'),
    );
    expect(
      await call('/v2/users/add', { organizationId, createOrganization: true, users }),
    ).toEqual(
      success('User(s) processed successfully.', {
        data: {
          u1: {
            success: true,
            id: expect.stringMatching(/^[0-9a-f]{32}$/),
            message: 'User added.',
          },
        },
      }),
    );
  });

  it.each(['/v1/users/update', '/v2/users/update'])('update users: %s', async (path) => {
    const { call } = await startWithUser();
    const users = [{ userId: 'u1', name: 'Ada King' }, { userId: 'u2' }];
    expect(await call(path, { organizationId, users })).toEqual(
      success('User(s) processed successfully.', {
        data: {
          u1: {
            success: true,
            id: expect.stringMatching(/^[0-9a-f]{32}$/),
            message: 'User updated.',
          },
          u2: {
            success: false,
            id: expect.stringMatching(/^[0-9a-f]{32}$/),
            message: 'User does not exist.',
          },
        },
      }),
    );
  });

  it('get all user data', async () => {
    const { call } = await startWithUser();
    expect(await call('/v1/users/data/get', { organizationId, userId: 'u1' })).toEqual(
      success('Data fetched successfully.', {
        data: { comments: [], reactions: [], recordings: [], notifications: [] },
        nextPageToken: null,
      }),
    );
  });

  it('add organizations', async () => {
    const { call } = await startWithUser();
    const organizations = [
      { organizationId: 'new', organizationName: 'New Inc.' },
      { organizationId },
    ];
    expect(await call('/v2/organizations/add', { organizations })).toEqual(
      success('Organization(s) added successfully.', {
        data: {
          new: {
            success: true,
            id: expect.stringMatching(/^[0-9a-f]{32}$/),
            message: 'Added Successfully',
          },
          acme: { success: false, message: 'Organization already exists', code: 'already-exists' },
        },
      }),
    );
  });

  it('add user groups, and users to them', async () => {
    const { call } = await startWithUser();
    const organizationUserGroups = [{ groupId: 'legal', groupName: 'Legal' }];
    const add = () =>
      call('/v2/organizations/usergroups/add', { organizationId, organizationUserGroups });
    const reply = (item: object) =>
      success('Organization User Groups added successfully.', { data: { legal: item } });
    expect(await add()).toEqual(
      reply({
        success: true,
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        message: 'Organization user group added.',
      }),
    );
    expect(await add()).toEqual(
      reply({
        success: false,
        message: 'Organization user group already exists',
        code: 'already-exists',
      }),
    );

    const addUsers = (organizationUserGroupId: string) =>
      call('/v2/organizations/usergroups/users/add', {
        organizationId,
        organizationUserGroupId,
        userIds: ['u1', 'no'],
      });
    const organizationUserGroupId = 'legal';
    expect(await addUsers('legal')).toEqual(
      success('Added organization users to group successfully.', {
        data: {
          u1: {
            success: true,
            organizationUserGroupId,
            message: 'User added to organization user group.',
          },
          no: { success: false, organizationUserGroupId, message: 'User does not exist.' },
        },
      }),
    );
    expect(await addUsers('no')).toEqual(refusal('Organization user group not found.'));
  });

  it('add permissions', async () => {
    const { call } = await startWithUser();
    const resources = [{ type: 'document', id: documentId, organizationId, accessRole: 'viewer' }];
    expect(
      await call('/v2/auth/permissions/add', {
        user: { userId: 'u1' },
        permissions: { resources },
      }),
    ).toEqual(success('Permissions added successfully.', {}));
  });

  it('add, update, and delete presence', async () => {
    const { call } = await startWithUser();
    const users = [{ userId: 'u1', name: 'Ada', email: 'ada@example.com', status: 'online' }];
    const ids = { organizationId, documentId };
    const done = { data: { success: true } };
    expect(await call('/v2/presence/add', { ...ids, users })).toEqual(
      success('Presence added successfully.', done),
    );
    expect(await call('/v2/presence/update', { ...ids, users })).toEqual(
      success('Presence updated successfully.', done),
    );
    expect(await call('/v2/presence/delete', { ...ids, userIds: ['u1'] })).toEqual(
      success('Presence deleted successfully.', done),
    );
  });

  it('add and update activities', async () => {
    const { call } = await startWithUser();
    const activity = {
      featureType: 'custom',
      targetEntityId: 't1',
      actionType: 'added',
      actionUser: { userId: 'u1' },
    };
    const activities = [{ id: 'a1', ...activity }];
    const add = () => call('/v2/activities/add', { organizationId, documentId, activities });
    const message = 'Activity(s) added successfully.';
    const added = success(message, { data: { success: true, message } });
    expect(await add()).toEqual(added);
    expect(await add()).toEqual(added);
    const changes = { status: { from: 'open', to: 'done' } };
    expect(
      await call('/v2/activities/update', {
        organizationId,
        activities: [{ id: 'a1', changes }, { id: 'no' }],
      }),
    ).toEqual(
      success('Activity(s) updated successfully.', {
        data: {
          a1: { success: true, message: 'Activity updated.' },
          no: { success: false, message: 'Failed to update activity.' },
        },
      }),
    );
  });

  it('add notifications', async () => {
    const { call } = await startWithUser();
    const notification = {
      organizationId,
      documentId,
      actionUser: { userId: 'u1' },
      notificationId: 'n-1',
      displayHeadlineMessageTemplate: '{actionUser} shared a plan with {recipientUser}',
      displayHeadlineMessageTemplateData: { actionUser: { userId: 'u1' }, recipientUser: 'u2' },
      displayBodyMessage: 'Have a look',
      notifyUsers: [{ userId: 'u2' }],
      notifyAll: false,
    };
    const message = 'Notification added successfully.';
    expect(await call('/v2/notifications/add', notification)).toEqual(
      success(message, { data: { success: true, message } }),
    );
    const { body } = await call('/v1/users/data/get', { organizationId, userId: 'u2' });
    const { notifyUsers: _, notifyAll: __, ...shown } = notification;
    expect(body.result?.data.notifications).toEqual([{ ...shown, timestamp: 1_700_000_000_000 }]);
  });
});
