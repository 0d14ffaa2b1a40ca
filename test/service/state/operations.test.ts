import { expect, it } from 'vitest';
import { stateSchema } from '../../../src/catalog/state.ts';
import { exportState, importState } from '../../../src/service/state/transfer.ts';
import { SLOW } from '../../slow.ts';
import { startTestService, type TestService } from '../test-service.ts';

const acme = { organizationId: 'acme' };
const editor = { ...acme, documentId: 'd1', editorId: 'e1' };

/** Calls of every kind, in an order that leaves no section sorted by accident. */
const WRITES: readonly (readonly [path: string, data: object])[] = [
  [
    '/v1/users/add',
    {
      ...acme,
      users: [
        { userId: 'u2', name: 'Bo' },
        { userId: 'u1', email: 'u1@example.com' },
      ],
    },
  ],
  [
    '/v2/organizations/add',
    { organizations: [{ organizationId: 'beta', organizationName: 'Beta', tier: 1 }] },
  ],
  [
    '/v2/organizations/folders/add',
    {
      ...acme,
      folders: [
        { folderId: 'f2', accessType: 'restricted' },
        { folderId: 'f1', parentFolderId: 'f2' },
      ],
    },
  ],
  [
    '/v2/organizations/folders/update',
    { ...acme, folders: [{ folderId: 'f1', parentFolderId: 'root' }] },
  ],
  [
    '/v1/organizations/documents/add',
    { ...acme, folderId: 'f1', documents: [{ documentId: 'd2' }, { documentId: 'd1' }] },
  ],
  ['/v2/users/add', { ...acme, documentId: 'd1', users: [{ userId: 'u3', accessRole: 'viewer' }] }],
  [
    '/v2/auth/permissions/add',
    {
      user: { userId: 'u4' },
      permissions: { resources: [{ type: 'folder', id: 'f9', ...acme, expiresAt: 4_000_000_000 }] },
    },
  ],
  [
    '/v2/organizations/usergroups/add',
    { ...acme, organizationUserGroups: [{ groupId: 'g2' }, { groupId: 'g1' }] },
  ],
  [
    '/v2/organizations/usergroups/users/add',
    { ...acme, organizationUserGroupId: 'g1', userIds: ['u2', 'u1'] },
  ],
  [
    '/v2/activities/add',
    {
      ...acme,
      documentId: 'd2',
      activities: [
        { id: 'a1', featureType: 'comment', actionType: 'y', actionUser: { userId: 'u1' } },
      ],
    },
  ],
  [
    '/v2/activities/update',
    { ...acme, activities: [{ id: 'a1', entityData: [1], changes: { s: { from: 1, to: 2 } } }] },
  ],
  [
    '/v2/notifications/add',
    {
      ...acme,
      documentId: 'd1',
      actionUser: { userId: 'u1' },
      notificationId: 'n1',
      displayHeadlineMessageTemplate: 'Hi',
      displayBodyMessage: 'there',
      notifyUsers: [{ userId: 'u2' }],
    },
  ],
  ['/v2/crdt/add', { ...editor, type: 'map', data: { b: 1, a: { z: 1 } } }],
  ['/v2/crdt/update', { ...editor, type: 'map', data: { c: 1, a: { z: 2 }, b: 2 } }],
  ['/v2/crdt/update', { ...editor, type: 'text', data: 'one', contentKey: 'default' }],
  ['/v2/crdt/update', { ...editor, type: 'map', data: { c: 1, b: 2 } }],
  ['/v2/crdt/add', { ...editor, editorId: 'e2', type: 'xml', data: '<a>1<b c="&amp;"/></a>' }],
  ['/v2/workspace/advancedwebhookconfig/update', { isEnabled: true }],
  [
    '/v2/workspace/advancedwebhook/endpoints/create',
    { url: 'https://example.com/1', uid: 'one', metadata: { k: 'v' } },
  ],
  [
    '/v2/workspace/advancedwebhook/endpoints/create',
    { url: 'https://example.com/2', channels: ['c'], rateLimit: 9 },
  ],
  [
    '/v2/workspace/webhookconfig/update',
    { webhookServiceConfig: { publicKey: 'k', authToken: 't' } },
  ],
  ['/v2/workspace/webhookconfig/update', { useWebhookService: true }],
  [
    '/v2/workspace/emailconfig/update',
    { emailServiceConfig: { type: 'custom', fromEmail: 'a@example.com' } },
  ],
  ['/v2/workspace/permissionproviderconfig/update', { usePermissionProvider: true }],
];

const READS: readonly (readonly [path: string, data: object])[] = [
  ['/v1/organizations/folders/get', acme],
  ['/v2/organizations/documents/get', acme],
  ['/v2/organizations/documents/get', { ...acme, folderId: 'f1' }],
  ['/v1/users/data/get', { ...acme, userId: 'u1' }],
  ['/v1/users/data/get', { ...acme, userId: 'u2' }],
  ['/v2/crdt/get', { ...acme, documentId: 'd1' }],
  ['/v2/workspace/advancedwebhook/endpoints/get', { limit: 10 }],
  ['/v2/workspace/webhookconfig/get', {}],
  ['/v2/workspace/advancedwebhookconfig/get', {}],
  ['/v2/workspace/emailconfig/get', {}],
  ['/v2/workspace/permissionproviderconfig/get', {}],
];

async function readAll({ call }: TestService): Promise<unknown[]> {
  const bodies = [];
  for (const [path, data] of READS) bodies.push((await call(path, data)).body);
  return bodies;
}

const dump = async ({ store, credentials }: TestService) =>
  JSON.stringify(await exportState(store, credentials.apiKey));

it('an imported copy of a state gives the same responses', SLOW, async () => {
  const [original, copy] = [await startTestService(), await startTestService()];
  for (const [path, data] of WRITES) {
    original.clock.time += 1000;
    const { http, body } = await original.call(path, data);
    expect([path, http, JSON.stringify(body)]).toEqual([
      path,
      200,
      expect.not.stringContaining('"success":false'),
    ]);
  }
  const exported = await dump(original);
  const { store, credentials, clock } = copy;
  const state = stateSchema.parse(JSON.parse(exported));
  expect(
    await importState(
      { store, apiKey: credentials.apiKey, now: clock.now(), dryRun: false },
      state,
    ),
  ).toEqual([]);
  expect(await dump(copy)).toBe(exported);
  expect(await readAll(copy)).toEqual(await readAll(original));
});
