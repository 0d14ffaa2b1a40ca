import type { OperationName } from '../catalog/index.ts';

/** Values that only the service knows: it chooses them when records are created. */
export interface KnownValues {
  readonly apiKey: string;
  /** Value of the last response that had a field of this name. */
  readonly last: (field: string) => string;
}

export type SampleCall = readonly [OperationName, (known: KnownValues) => object];

const ORG = { organizationId: 'acme' };
const UNKNOWN_ORG = { organizationId: 'unknown' };
const DOCUMENT = { ...ORG, documentId: 'd1' };
const UNKNOWN_DOCUMENT = { ...ORG, documentId: 'unknown' };
const USER = { userId: 'u1', name: 'Ada', email: 'ada@example.com' };
const UNKNOWN_USER = { userId: 'unknown' };
const NOTIFICATION = {
  ...DOCUMENT,
  actionUser: USER,
  displayHeadlineMessageTemplate: '{actionUser} wrote',
  displayBodyMessage: 'text',
  notifyUsers: [USER],
};
const URL = 'https://example.com/hook';
const ALL_TRIGGERS = { 'comment.add': true, 'huddle.create': false };

const fixed = (name: OperationName, data: object): SampleCall => [name, () => data];
const all = (names: readonly OperationName[], ...data: readonly object[]): SampleCall[] =>
  names.flatMap((name) => data.map((each) => fixed(name, each)));

/**
 * Calls of every operation, in the states that change its response: known and unknown IDs, optional
 * fields given and omitted, first and last pages. Reads come first and after the writes.
 */
const READS: readonly SampleCall[] = [
  fixed('workspace.get', {}),
  ['auth-tokens.list', ({ apiKey }) => ({ apiKey })],
  fixed('auth-tokens.list', { apiKey: 'unknown' }),
  ...all(
    ['webhooks.config.get', 'webhooks.advanced.get', 'email.get', 'permission-provider.get'],
    {},
  ),
  ...all(['webhooks.endpoints.list'], {}, { limit: 1 }, { limit: 1000 }),
  ['webhooks.endpoints.list', ({ last }) => ({ limit: 1, iterator: last('iterator') })],
  fixed('webhooks.endpoints.list', { iterator: 'unknown' }),
  fixed('webhooks.endpoints.secret', { endpointId: 'unknown' }),
  ...all(
    ['folders.list', 'folders.list.v1'],
    ORG,
    UNKNOWN_ORG,
    { organizationId: 'empty' },
    { ...ORG, folderId: 'f1' },
    { ...ORG, folderId: 'f5' },
    { ...ORG, folderId: 'unknown' },
    { ...UNKNOWN_ORG, folderId: 'f1' },
  ),
  ...all(
    ['folders.list'],
    { ...ORG, maxDepth: 3 },
    { ...ORG, folderId: 'f1', maxDepth: 3 },
    { ...ORG, folderId: 'f1', maxDepth: 0 },
  ),
  ...all(
    ['documents.list'],
    ORG,
    UNKNOWN_ORG,
    { ...ORG, pageSize: 1 },
    { ...ORG, documentIds: ['d1', 'unknown'] },
    { ...ORG, documentIds: Array.from({ length: 31 }, (_, at) => `d${at}`) },
    { ...ORG, folderId: 'f1' },
    { ...ORG, folderId: 'unknown' },
    { ...ORG, pageToken: 'unknown' },
  ),
  ['documents.list', ({ last }) => ({ ...ORG, pageSize: 1, pageToken: last('pageToken') })],
  ...all(
    ['users.data'],
    { ...ORG, ...UNKNOWN_USER },
    { ...UNKNOWN_ORG, userId: 'u1' },
    { ...ORG, userId: 'u1', pageToken: 'unknown' },
    { ...ORG, userId: 'u1' },
  ),
  ['users.data', ({ last }) => ({ ...ORG, userId: 'u1', pageToken: last('nextPageToken') })],
  ...all(
    ['crdt.get'],
    ...['text', 'map', 'array', 'xml', 'unknown'].map((editorId) => ({ ...DOCUMENT, editorId })),
    { ...UNKNOWN_DOCUMENT, editorId: 'text' },
  ),
  ...all(
    ['agents.list'],
    {},
    { filter: 'defaultOnly' },
    { filter: 'customOnly' },
    { filter: 'unknown' },
    { groupId: 'ag1' },
    { groupId: 'unknown' },
  ),
  ...all(
    ['agents.get'],
    ...['built-in-1', 'built-in-2', 'custom-1', 'custom-2', 'unknown', ''].map((agentId) => ({
      agentId,
    })),
  ),
  fixed('documents.migration-status', { ...ORG, migrationId: 'unknown' }),
];

const WRITES: readonly SampleCall[] = [
  ...all(
    ['access-tokens.generate'],
    {
      userId: 'u1',
      userProperties: USER,
      permissions: { resources: [{ type: 'document', id: 'd1', ...ORG, accessRole: 'viewer' }] },
    },
    { userId: 'u1', userProperties: { ...USER, ...ORG }, permissions: { resources: [] } },
  ),
  ...all(
    ['activities.add'],
    { ...DOCUMENT, activities: [{ featureType: 'comment', actionType: 'x', actionUser: USER }] },
    { ...DOCUMENT, activities: [{ featureType: 'x', actionType: 'x', actionUser: USER }] },
    {
      ...DOCUMENT,
      activities: [{ id: 'a1', featureType: 'comment', actionType: 'x', actionUser: USER }],
    },
    {
      ...UNKNOWN_DOCUMENT,
      activities: [{ id: 'a9', featureType: 'comment', actionType: 'x', actionUser: USER }],
    },
  ),
  ...all(
    ['activities.update'],
    { ...ORG, activities: [{ id: 'a1', actionIcon: 'icon' }, { id: 'unknown' }] },
    { ...UNKNOWN_ORG, activities: [{ id: 'a1', actionIcon: 'icon' }] },
  ),
  ...all(
    ['organizations.add'],
    { organizations: [{ organizationId: 'other', organizationName: 'Other' }] },
    { organizations: [ORG] },
  ),
  ...all(
    ['folders.add'],
    {
      ...ORG,
      folders: [
        { folderId: 'f6' },
        { folderId: 'f1' },
        { folderId: 'f7', parentFolderId: 'unknown' },
      ],
    },
    { ...UNKNOWN_ORG, folders: [{ folderId: 'f6' }] },
  ),
  ...all(
    ['folders.update'],
    {
      ...ORG,
      folders: [
        { folderId: 'f1', folderName: 'New' },
        { folderId: 'unknown', folderName: 'New' },
        { folderId: 'f2', parentFolderId: 'f3' },
        { folderId: 'f3', parentFolderId: 'unknown' },
      ],
    },
    { ...UNKNOWN_ORG, folders: [{ folderId: 'f1', folderName: 'New' }] },
  ),
  ...all(
    ['documents.add'],
    { ...ORG, documents: [{ documentId: 'd4', documentName: 'New' }, { documentId: 'd1' }] },
    { ...ORG, folderId: 'unknown', documents: [{ documentId: 'd5' }] },
    { ...UNKNOWN_ORG, documents: [{ documentId: 'd5' }] },
  ),
  ...all(
    ['users.add', 'users.add.v2'],
    { ...ORG, users: [USER, { userId: 'u3' }] },
    { ...DOCUMENT, users: [USER] },
    { ...ORG, folderId: 'f1', users: [USER] },
    { ...UNKNOWN_DOCUMENT, users: [USER] },
    { ...ORG, folderId: 'unknown', users: [USER] },
    { ...DOCUMENT, folderId: 'f1', users: [USER] },
    { organizationId: 'new', users: [USER] },
  ),
  ...all(
    ['users.update', 'users.update.v2'],
    { ...ORG, users: [USER, UNKNOWN_USER] },
    { ...UNKNOWN_DOCUMENT, users: [USER] },
    { ...ORG, folderId: 'unknown', users: [USER] },
    { ...UNKNOWN_ORG, users: [USER] },
  ),
  ...all(
    ['groups.add'],
    { ...ORG, organizationUserGroups: [{ groupId: 'g2', groupName: 'New' }] },
    { ...ORG, organizationUserGroups: [{ groupId: 'g1', groupName: 'Legal' }] },
    { ...UNKNOWN_ORG, organizationUserGroups: [{ groupId: 'g2', groupName: 'New' }] },
  ),
  ...all(
    ['groups.add-users'],
    { ...ORG, organizationUserGroupId: 'g1', userIds: ['u1', 'unknown'] },
    { ...ORG, organizationUserGroupId: 'unknown', userIds: ['u1'] },
    { ...UNKNOWN_ORG, organizationUserGroupId: 'g1', userIds: ['u1'] },
  ),
  ...all(
    ['permissions.add'],
    {
      user: { userId: 'u1' },
      permissions: { resources: [{ type: 'document', id: 'd1', ...ORG }] },
    },
    { user: { userId: 'u1' }, permissions: { resources: [{ type: 'document', id: '?', ...ORG }] } },
    { user: UNKNOWN_USER, permissions: { resources: [{ type: 'organization', id: 'unknown' }] } },
  ),
  ...all(
    ['notifications.add'],
    { ...NOTIFICATION, notificationId: 'n2' },
    { ...NOTIFICATION, ...UNKNOWN_DOCUMENT },
    { ...NOTIFICATION, ...UNKNOWN_ORG },
  ),
  ...all(
    ['presence.add', 'presence.update'],
    { ...DOCUMENT, users: [{ ...USER, status: 'online' }] },
    { ...UNKNOWN_DOCUMENT, users: [USER] },
    { ...UNKNOWN_ORG, documentId: 'd1', users: [USER] },
  ),
  ...all(
    ['presence.delete'],
    { ...DOCUMENT, userIds: ['u1', 'unknown'] },
    { ...UNKNOWN_DOCUMENT, userIds: ['u1'] },
    { ...UNKNOWN_ORG, documentId: 'd1', userIds: ['u1'] },
  ),
  ...all(
    ['crdt.add'],
    { ...DOCUMENT, editorId: 'new', type: 'text', data: 'text' },
    { ...DOCUMENT, editorId: 'text', type: 'text', data: 'text' },
    { ...DOCUMENT, editorId: 'bad', type: 'text', data: 1 },
    { ...UNKNOWN_DOCUMENT, editorId: 'new', type: 'text', data: 'text' },
    { ...UNKNOWN_ORG, documentId: 'd1', editorId: 'new', type: 'text', data: 'text' },
  ),
  ...all(
    ['crdt.update'],
    { ...DOCUMENT, editorId: 'text', type: 'text', data: 'new' },
    { ...DOCUMENT, editorId: 'unknown', type: 'text', data: 'new' },
    { ...DOCUMENT, editorId: 'text', type: 'text', data: 1 },
    { ...DOCUMENT, editorId: 'text', type: 'map', data: {} },
  ),
  ...all(
    ['email.update'],
    {
      emailServiceConfig: {
        apiKey: 'key',
        fromEmail: 'a@example.com',
        fromCompany: 'Acme',
        commentTemplateId: 'd-1',
        tagTemplateId: 'd-2',
      },
    },
    { useEmailService: true, emailServiceConfig: { type: 'custom', triggers: ALL_TRIGGERS } },
    { emailServiceConfig: { type: 'Custom' } },
  ),
  ...all(
    ['webhooks.config.update'],
    { webhookServiceConfig: { rawNotificationUrl: URL, processedNotificationUrl: URL } },
    {
      useWebhookService: true,
      webhookServiceConfig: {
        authToken: 'token',
        encodeData: true,
        encryptData: false,
        publicKey: 'key',
        triggers: ALL_TRIGGERS,
      },
    },
  ),
  ...all(
    ['permission-provider.update'],
    {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: URL, authToken: 'token' },
    },
    { permissionProviderConfig: { permissionProviderUrl: 'unknown' } },
  ),
  ...all(
    ['webhooks.advanced.update'],
    { encodeData: true },
    { isEnabled: true, encodeData: true, encryptData: false, publicKey: '' },
  ),
  ...all(
    ['webhooks.endpoints.create'],
    { url: URL, uid: 'new', description: 'text', filterTypes: ['comment.add'], rateLimit: 5 },
    { url: URL, uid: 'new' },
    { url: 'unknown' },
    { url: URL, channels: ['c1'], disabled: true },
  ),
  ['webhooks.endpoints.secret', ({ last }) => ({ endpointId: last('id') })],
  ['webhooks.endpoints.update', ({ last }) => ({ endpointId: last('id'), description: 'new' })],
  fixed('webhooks.endpoints.update', { endpointId: 'unknown', description: 'new' }),
  ['webhooks.endpoints.delete', ({ last }) => ({ endpointId: last('id') })],
  fixed('webhooks.endpoints.delete', { endpointId: 'unknown' }),
  ...all(
    ['workspace.create'],
    {
      ownerEmail: 'ada@example.com',
      name: 'Ada',
      workspaceName: 'Acme',
      avatar: 'https://example.com/ada.png',
    },
    { ownerEmail: 'ada@example.com' },
    { ownerEmail: 'bob@example.com' },
  ),
  ...all(
    ['documents.migrate'],
    { ...DOCUMENT, newDocumentId: 'd9' },
    { ...UNKNOWN_DOCUMENT, newDocumentId: 'd8' },
    { ...UNKNOWN_ORG, documentId: 'd1', newDocumentId: 'd8' },
    { ...ORG, documentId: 'd2', newDocumentId: 'd2' },
    { ...ORG, documentId: 'd2', newDocumentId: 'd3' },
  ),
  ['documents.migration-status', ({ last }) => ({ ...ORG, migrationId: last('migrationId') })],
];

/** Replaces the auth token that the other calls use, so it comes last. */
const RESETS: readonly SampleCall[] = [
  fixed('auth-tokens.reset', { apiKey: 'unknown' }),
  ['auth-tokens.reset', ({ apiKey }) => ({ apiKey })],
];

export const SAMPLE_CALLS: readonly SampleCall[] = [...READS, ...WRITES, ...READS, ...RESETS];
