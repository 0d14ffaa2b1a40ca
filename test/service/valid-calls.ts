import type { OperationName } from '../../src/catalog/index.ts';
import type { TestService } from './test-service.ts';

const ACME = { organizationId: 'acme' };
const DOCUMENT = { ...ACME, documentId: 'd1' };
const PRESENT_USER = { userId: 'u1', name: 'Ada', email: 'ada@example.com' };
const USER = { ...PRESENT_USER, initial: 'A', photoUrl: 'https://example.com/ada.png' };
const RESOURCE = {
  type: 'document',
  id: 'd1',
  ...ACME,
  accessRole: 'viewer',
  expiresAt: 9_999_999_999,
};
const EDITOR = { ...DOCUMENT, editorId: 'e1', type: 'map', contentKey: 'content' };
const CHANGES = {
  changes: { status: { from: 'open', to: 'done' } },
  entityData: { any: 'thing' },
  entityTargetData: ['any', 'thing'],
  displayMessageTemplate: '{{actor}} did it',
  displayMessageTemplateData: { actor: 'Ada' },
  actionIcon: 'https://example.com/icon.png',
};
const PAYLOAD = {
  encodeData: true,
  encryptData: false,
  publicKey: 'key',
  enableDataProtection: true,
};
const SETTINGS = {
  url: 'https://example.com/hook',
  description: 'all of it',
  filterTypes: ['comment.add'],
  channels: ['c1'],
  disabled: false,
  rateLimit: 5,
  metadata: { team: 'a' },
};

/** Calls that create the data required by the valid calls. */
const PREREQUISITES = [
  ['/v2/organizations/add', { organizations: [ACME] }],
  ['/v1/organizations/documents/add', { ...ACME, documents: [{ documentId: 'd1' }] }],
  ['/v2/organizations/folders/add', { ...ACME, folders: [{ folderId: 'f1' }] }],
  ['/v1/users/add', { ...ACME, users: [USER] }],
  ['/v2/organizations/usergroups/add', { ...ACME, organizationUserGroups: [{ groupId: 'g1' }] }],
  [
    '/v2/activities/add',
    {
      ...DOCUMENT,
      activities: [{ id: 'a1', featureType: 'comment', actionType: 'x', actionUser: USER }],
    },
  ],
  ['/v2/crdt/add', { ...EDITOR, data: {} }],
  ['/v2/workspace/advancedwebhookconfig/update', { isEnabled: true }],
] as const;

/**
 * Creates a valid call of each operation with all its fields, and the data that the calls require.
 */
export async function createValidCalls(
  service: TestService,
): Promise<Readonly<Record<OperationName, object>>> {
  const { call, credentials } = service;
  const { apiKey } = credentials;
  for (const [path, data] of PREREQUISITES) await call(path, data);
  const { url } = SETTINGS;
  const created = await call('/v2/workspace/advancedwebhook/endpoints/create', { url });
  const endpointId = created.body.result?.data.id;
  await service.store.write(async (database) => {
    await database
      .insertInto('agents')
      .values({ apiKey, agentId: 'one', agent: '{"id":"one"}' })
      .execute();
    await database
      .insertInto('agentGroups')
      .values({ apiKey, groupId: 'g1', agentIds: '["one"]', agentGroup: '{}' })
      .execute();
    const migration = { ...DOCUMENT, newDocumentId: 'd2', migrationId: 'm1', apiKey, createdAt: 0 };
    await database
      .insertInto('documentMigrations')
      .values({ ...migration, status: 'failed' })
      .execute();
  });
  return {
    'access-tokens.generate': {
      userId: 'u1',
      userProperties: { name: 'Ada', email: 'ada@example.com', isAdmin: false },
      permissions: { resources: [RESOURCE] },
    },
    'activities.add': {
      ...DOCUMENT,
      activities: [
        {
          id: 'a2',
          featureType: 'custom',
          targetEntityId: 't1',
          actionType: 'added',
          actionUser: USER,
          ...CHANGES,
        },
      ],
    },
    'activities.update': { ...ACME, activities: [{ id: 'a1', ...CHANGES }] },
    'agents.list': { filter: 'customOnly', groupId: 'g1' },
    'agents.get': { agentId: 'one' },
    'auth-tokens.reset': { apiKey },
    'auth-tokens.list': { apiKey },
    'crdt.get': { ...DOCUMENT, editorId: 'e1' },
    'crdt.add': { ...EDITOR, editorId: 'e2', data: { key: ['value'] } },
    'crdt.update': { ...EDITOR, data: { key: ['value'] } },
    'documents.list': { ...ACME, documentIds: ['d1'], folderId: 'f1', pageSize: 10, pageToken: '' },
    'documents.add': {
      ...ACME,
      folderId: 'f1',
      documents: [{ documentId: 'd3', documentName: 'Plan' }],
    },
    'documents.migrate': { ...DOCUMENT, newDocumentId: 'd2' },
    'documents.migration-status': { ...ACME, migrationId: 'm1' },
    'email.get': {},
    'email.update': {
      useEmailService: true,
      emailServiceConfig: {
        type: 'custom',
        apiKey: 'key',
        fromEmail: 'hello@example.com',
        fromCompany: 'Acme',
        triggers: { 'comment.add': true },
      },
    },
    'folders.list': { ...ACME, folderId: 'f1', maxDepth: 2 },
    'folders.list.v1': { ...ACME, folderId: 'f1' },
    'folders.add': {
      ...ACME,
      createOrganization: true,
      folders: [
        { folderId: 'f2', folderName: 'Plans', parentFolderId: 'f1', accessType: 'public' },
      ],
    },
    'folders.update': {
      ...ACME,
      folders: [{ folderId: 'f1', folderName: 'Plans', parentFolderId: 'root' }],
    },
    'groups.add': { ...ACME, organizationUserGroups: [{ groupId: 'g2', groupName: 'Legal' }] },
    'groups.add-users': { ...ACME, organizationUserGroupId: 'g1', userIds: ['u1'] },
    'notifications.add': {
      ...DOCUMENT,
      createOrganization: true,
      createDocument: true,
      actionUser: USER,
      verifyUserPermissions: false,
      notificationId: 'n1',
      isNotificationResolverUsed: false,
      displayHeadlineMessageTemplate: '{actionUser} did it',
      displayHeadlineMessageTemplateData: { actionUser: USER, recipientUser: USER },
      displayBodyMessage: 'body',
      notifyUsers: [USER],
      notifyAll: false,
      notificationSource: 'custom',
      notificationSourceData: { any: 'thing' },
      context: { access: { team: 'a' } },
    },
    'organizations.add': {
      organizations: [{ organizationId: 'other', organizationName: 'Other' }],
    },
    'permission-provider.get': {},
    'permission-provider.update': {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: url, authToken: 'token' },
    },
    'permissions.add': { user: { userId: 'u1' }, permissions: { resources: [RESOURCE] } },
    'presence.add': { ...DOCUMENT, users: [{ ...PRESENT_USER, status: 'online' }] },
    'presence.update': { ...DOCUMENT, users: [{ ...PRESENT_USER, status: 'away' }] },
    'presence.delete': { ...DOCUMENT, userIds: ['u1'] },
    'users.add': { ...DOCUMENT, users: [USER] },
    'users.add.v2': {
      ...DOCUMENT,
      createOrganization: true,
      createDocument: true,
      createFolder: true,
      users: [{ ...USER, accessRole: 'editor' }],
    },
    'users.update': { ...DOCUMENT, users: [USER] },
    'users.update.v2': { ...ACME, users: [{ ...USER, accessRole: 'viewer' }] },
    'users.data': { ...ACME, userId: 'u1', pageToken: '' },
    'webhooks.config.get': {},
    'webhooks.config.update': {
      useWebhookService: true,
      webhookServiceConfig: {
        ...PAYLOAD,
        authToken: 'token',
        rawNotificationUrl: url,
        processedNotificationUrl: url,
        triggers: { 'comment.add': true },
      },
    },
    'webhooks.advanced.get': {},
    'webhooks.advanced.update': { isEnabled: true, ...PAYLOAD },
    'webhooks.endpoints.list': { limit: 10, iterator: '' },
    'webhooks.endpoints.create': { ...SETTINGS, uid: 'mine' },
    'webhooks.endpoints.update': { endpointId, ...SETTINGS },
    'webhooks.endpoints.delete': { endpointId },
    'webhooks.endpoints.secret': { endpointId },
    'workspace.get': {},
    'workspace.create': {
      ownerEmail: 'ada@example.com',
      name: 'Ada',
      workspaceName: 'Engines',
      avatar: 'https://example.com/ada.png',
    },
  };
}
