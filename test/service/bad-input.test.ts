import { describe, expect, it } from 'vitest';
import { serviceWorld } from './world.ts';

const place = { organizationId: 'acme', documentId: 'd1' };
const activity = { id: 'a1', featureType: 'custom', actionType: 'added', actionUser: { userId: 'u1' } };

/** A good call of each operation, and the fields that it cannot do without. */
const CALLS: readonly (readonly [path: string, good: object, required: readonly string[]])[] = [
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
    ['userId', 'userProperties', 'userProperties.name', 'userProperties.email', 'permissions', 'permissions.resources'],
  ],
  [
    '/v2/presence/add',
    { ...place, users: [{ userId: 'u1' }] },
    ['organizationId', 'documentId', 'users', 'users[0].userId'],
  ],
  [
    '/v2/presence/update',
    { ...place, users: [{ userId: 'u1' }] },
    ['organizationId', 'documentId', 'users', 'users[0].userId'],
  ],
  ['/v2/presence/delete', { ...place, userIds: ['u1'] }, ['organizationId', 'documentId', 'userIds', 'userIds[0]']],
  [
    '/v2/activities/add',
    { ...place, activities: [activity] },
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
      ...place,
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

/** The call with a field as `change` makes it; `users[0].userId` is a path into the data. */
function altered(good: object, path: string, change: (of: Record<string, unknown>, field: string) => void): unknown {
  const data = structuredClone(good);
  const fields = path.split(/[.[\]]+/).filter(Boolean);
  const last = fields.pop() ?? '';
  const holder = fields.reduce<unknown>((inner, field) => Object(inner)[field], data);
  change(holder as Record<string, unknown>, last);
  return data;
}

const WRONG: readonly (readonly [string, (of: Record<string, unknown>, field: string) => void])[] = [
  ['missing', (of, field) => (Array.isArray(of) ? of.splice(Number(field), 1, null) : delete of[field])],
  ['null', (of, field) => (of[field] = null)],
  ['a number', (of, field) => (of[field] = 7)],
  ['empty', (of, field) => (of[field] = typeof of[field] === 'string' ? '' : undefined)],
  ['of another type', (of, field) => (of[field] = typeof of[field] === 'string' ? { toString: 1 } : 'text')],
];

const FIELDS = CALLS.flatMap(([path, good, required]) => required.map((field) => [path, field, good] as const));

describe('a call is refused, by the name of the field, when', () => {
  it.each(FIELDS)('%s: %s is wrong', async (path, field, good) => {
    const { call, store, reported } = await serviceWorld();
    for (const [how, change] of WRONG) {
      const { http, body } = await call(path, altered(good, field, change));
      expect([http, body.error?.status], how).toEqual([400, 'INVALID_ARGUMENT']);
      expect(body.error?.message.startsWith(field), `${how}: ${body.error?.message}`).toBe(true);
    }
    const organizations = await store.read((database) => database.selectFrom('organizations').selectAll().execute());
    expect([organizations, reported]).toEqual([[], []]);
  });
});

const HOSTILE = [
  '__proto__',
  'constructor',
  'a\u0000b',
  '\u001b[2J',
  '‮',
  "'; drop table users; --",
  'x'.repeat(100_000),
];

describe('a call takes ids of every kind', () => {
  it.each(CALLS.map(([path, good]) => [path, good] as const))('%s', async (path, good) => {
    const { call, reported } = await serviceWorld();
    for (const id of HOSTILE) {
      const text = JSON.stringify(good).replaceAll('"u1"', JSON.stringify(id)).replaceAll('"acme"', JSON.stringify(id));
      const { http } = await call(path, JSON.parse(text));
      expect([200, 400], id.slice(0, 40)).toContain(http);
    }
    expect(reported).toEqual([]);
  });

  it('and keeps fields that are called as odd', async () => {
    const { call } = await serviceWorld();
    const odd = '{"userId":"u1","__proto__":{"admin":true},"constructor":1,"toString":2,"hasOwnProperty":3}';
    const users = [JSON.parse(odd)];
    expect((await call('/v1/users/add', { organizationId: 'acme', users })).http).toBe(200);
    expect((await call('/v2/presence/add', { ...place, users })).http).toBe(200);
    expect((await call('/v2/activities/add', { ...place, activities: [{ ...activity, ...users[0] }] })).http).toBe(200);
    const changes = JSON.parse('{"__proto__":{"from":1,"to":2}}');
    const { body } = await call('/v2/activities/update', {
      organizationId: 'acme',
      activities: [{ id: 'a1', changes }],
    });
    expect(body.result?.data.a1.success).toBe(true);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
