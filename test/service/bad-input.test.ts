import { describe, expect, it } from 'vitest';
import { startTestService } from './test-service.ts';

const ids = { organizationId: 'acme', documentId: 'd1' };
const activity = {
  id: 'a1',
  featureType: 'comment',
  actionType: 'added',
  actionUser: { userId: 'u1' },
};

/** A valid call of each operation, and its required fields. */
const CALLS: readonly (readonly [path: string, input: object, required: readonly string[]])[] = [
  [
    '/v2/users/add',
    { organizationId: 'acme', createOrganization: true, users: [{ userId: 'u1' }] },
    ['organizationId', 'users', 'users[0].userId'],
  ],
  [
    '/v1/users/update',
    { organizationId: 'acme', users: [{ userId: 'u1' }] },
    ['organizationId', 'users', 'users[0].userId'],
  ],
  [
    '/v2/users/update',
    { organizationId: 'acme', users: [{ userId: 'u1' }] },
    ['organizationId', 'users', 'users[0].userId'],
  ],
  ['/v1/users/data/get', { organizationId: 'acme', userId: 'u1' }, ['organizationId', 'userId']],
  [
    '/v2/organizations/add',
    { organizations: [{ organizationId: 'acme' }] },
    ['organizations', 'organizations[0].organizationId'],
  ],
  [
    '/v2/organizations/usergroups/add',
    { organizationId: 'acme', organizationUserGroups: [{ groupId: 'g' }] },
    ['organizationId', 'organizationUserGroups', 'organizationUserGroups[0].groupId'],
  ],
  [
    '/v2/organizations/usergroups/users/add',
    { organizationId: 'acme', organizationUserGroupId: 'g', userIds: ['u1'] },
    ['organizationId', 'organizationUserGroupId', 'userIds', 'userIds[0]'],
  ],
  [
    '/v2/auth/permissions/add',
    { user: { userId: 'u1' }, permissions: { resources: [{ type: 'organization', id: 'acme' }] } },
    [
      'user',
      'user.userId',
      'permissions',
      'permissions.resources',
      'permissions.resources[0].type',
      'permissions.resources[0].id',
    ],
  ],
  [
    '/v2/auth/generate_token',
    { userId: 'u1', userProperties: { name: 'A', email: 'a' }, permissions: { resources: [] } },
    [
      'userId',
      'userProperties',
      'userProperties.name',
      'userProperties.email',
      'permissions',
      'permissions.resources',
    ],
  ],
  [
    '/v2/presence/add',
    { ...ids, users: [{ userId: 'u1' }] },
    ['organizationId', 'documentId', 'users', 'users[0].userId'],
  ],
  [
    '/v2/presence/update',
    { ...ids, users: [{ userId: 'u1' }] },
    ['organizationId', 'documentId', 'users', 'users[0].userId'],
  ],
  [
    '/v2/presence/delete',
    { ...ids, userIds: ['u1'] },
    ['organizationId', 'documentId', 'userIds', 'userIds[0]'],
  ],
  [
    '/v2/activities/add',
    { ...ids, activities: [activity] },
    [
      'organizationId',
      'documentId',
      'activities',
      'activities[0].featureType',
      'activities[0].actionType',
      'activities[0].actionUser',
      'activities[0].actionUser.userId',
    ],
  ],
  [
    '/v2/activities/update',
    { organizationId: 'acme', activities: [{ id: 'a1' }] },
    ['organizationId', 'activities', 'activities[0].id'],
  ],
  [
    '/v2/notifications/add',
    {
      ...ids,
      createOrganization: true,
      createDocument: true,
      actionUser: { userId: 'u1' },
      notifyUsers: [{ userId: 'u1' }],
      displayHeadlineMessageTemplate: 'x',
      displayBodyMessage: 'x',
    },
    [
      'organizationId',
      'documentId',
      'actionUser',
      'actionUser.userId',
      'notifyUsers',
      'notifyUsers[0].userId',
      'displayHeadlineMessageTemplate',
      'displayBodyMessage',
    ],
  ],
];

/** Returns the call with one field changed. A path such as `users[0].userId` names the field. */
function withChangedField(
  input: object,
  path: string,
  change: (of: Record<string, unknown>, field: string) => void,
): unknown {
  const data = structuredClone(input);
  const fields = path.split(/[.[\]]+/).filter(Boolean);
  const last = fields.pop() ?? '';
  const holder = fields.reduce<unknown>((inner, field) => Object(inner)[field], data);
  change(holder as Record<string, unknown>, last);
  return data;
}

const WRONG_CHANGES: readonly (readonly [
  string,
  (of: Record<string, unknown>, field: string) => void,
])[] = [
  [
    'missing',
    (of, field) => (Array.isArray(of) ? of.splice(Number(field), 1, null) : delete of[field]),
  ],
  ['null', (of, field) => (of[field] = null)],
  ['a number', (of, field) => (of[field] = 7)],
  ['empty', (of, field) => (of[field] = typeof of[field] === 'string' ? '' : undefined)],
  [
    'of another type',
    (of, field) => (of[field] = typeof of[field] === 'string' ? { toString: 1 } : 'text'),
  ],
];

/** The names of top-level fields in messages about missing fields. */
const LABELS: Readonly<Record<string, string>> = {
  organizationId: 'Organization ID',
  documentId: 'Document ID',
  userId: 'User ID',
  organizationUserGroupId: 'Organization user group ID',
  users: 'Users',
  user: 'User',
  userIds: 'User IDs',
  organizations: 'Organizations',
  organizationUserGroups: 'Organization user groups',
  permissions: 'Permissions',
  userProperties: 'User properties',
  activities: 'Activities',
  actionUser: 'Action user',
  notifyUsers: 'Notify users',
  displayHeadlineMessageTemplate: 'Display headline message template',
  displayBodyMessage: 'Display body message',
};

const REQUIRED_FIELDS = CALLS.flatMap(([path, input, required]) =>
  required.map((field) => [path, field, input] as const),
);

describe('a rejected call names the field if', () => {
  it.each(REQUIRED_FIELDS)('%s has an invalid %s', async (path, field, input) => {
    const { call, store, reported } = await startTestService();
    for (const [how, change] of WRONG_CHANGES) {
      const { http, body } = await call(path, withChangedField(input, field, change));
      expect([http, body.error?.status], how).toEqual([400, 'INVALID_ARGUMENT']);
      const message = body.error?.message ?? '';
      const isNamed =
        field.includes('.') || field.includes('[')
          ? message.includes(field)
          : message.startsWith(field) || message.startsWith(`${LABELS[field]} is required`);
      expect(isNamed, `${how}: ${message}`).toBe(true);
    }
    const organizations = await store.read((database) =>
      database.selectFrom('organizations').selectAll().execute(),
    );
    expect([organizations, reported]).toEqual([[], []]);
  });
});

const HOSTILE_IDS = [
  '__proto__',
  'constructor',
  'a\u0000b',
  '\u001b[2J',
  '‮',
  "'; drop table users; --",
  'x'.repeat(100_000),
];

describe('a call accepts unusual IDs', () => {
  it.each(CALLS.map(([path, input]) => [path, input] as const))('%s', async (path, input) => {
    const { call, reported } = await startTestService();
    for (const id of HOSTILE_IDS) {
      const text = JSON.stringify(input)
        .replaceAll('"u1"', JSON.stringify(id))
        .replaceAll('"acme"', JSON.stringify(id));
      const { http } = await call(path, JSON.parse(text));
      expect([200, 400], id.slice(0, 40)).toContain(http);
    }
    expect(reported).toEqual([]);
  });

  it('keeps fields with unusual names', async () => {
    const { call } = await startTestService();
    const json =
      '{"userId":"u1","__proto__":{"admin":true},"constructor":1,"toString":2,"hasOwnProperty":3}';
    const users = [JSON.parse(json)];
    expect((await call('/v1/users/add', { organizationId: 'acme', users })).http).toBe(200);
    expect((await call('/v2/presence/add', { ...ids, users })).http).toBe(200);
    expect(
      (await call('/v2/activities/add', { ...ids, activities: [{ ...activity, ...users[0] }] }))
        .http,
    ).toBe(200);
    const changes = JSON.parse('{"__proto__":{"from":1,"to":2}}');
    const { body } = await call('/v2/activities/update', {
      organizationId: 'acme',
      activities: [{ id: 'a1', changes }],
    });
    expect(body.result?.data.a1.success).toBe(true);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
