import { loadOperation, type OperationName } from '../catalog/index.ts';
import { getEntry } from '../catalog/manifest.ts';
import type { KnownValues } from '../catalog/sample-data.ts';

export type SampleCall = readonly [OperationName, (known: KnownValues) => object];
/** A call with data of its own, or with the sample of its operation. */
type PlannedCall = readonly [OperationName, ((known: KnownValues) => object) | 'sample'];

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

const sample = (name: OperationName): PlannedCall => [name, 'sample'];
const fixed = (name: OperationName, data: object): PlannedCall => [name, () => data];
const all = (names: readonly OperationName[], ...data: readonly object[]): PlannedCall[] =>
  names.flatMap((name) => data.map((each) => fixed(name, each)));

/** Calls whose response depends on whether advanced webhooks are enabled. */
const CALLS_OF_UNKNOWN_ENDPOINTS: readonly PlannedCall[] = [
  fixed('webhooks.endpoints.list', {}),
  fixed('webhooks.endpoints.create', { url: URL }),
  fixed('webhooks.endpoints.update', { endpointId: 'unknown', description: 'new' }),
  fixed('webhooks.endpoints.secret', { endpointId: 'unknown' }),
  fixed('webhooks.endpoints.delete', { endpointId: 'unknown' }),
];

/**
 * Calls of every operation, in the states that change its response: known and unknown IDs, optional
 * fields given and omitted, first and last pages. Reads come first and after the writes.
 */
const READS: readonly PlannedCall[] = [
  sample('workspace.get'),
  sample('auth-tokens.list'),
  fixed('auth-tokens.list', { apiKey: 'unknown' }),
  sample('webhooks.config.get'),
  sample('webhooks.advanced.get'),
  sample('email.get'),
  sample('permission-provider.get'),
  ...all(['webhooks.endpoints.list'], {}, { limit: 1 }, { limit: 1000 }),
  ['webhooks.endpoints.list', ({ last }) => ({ limit: 1, iterator: last('iterator') })],
  fixed('webhooks.endpoints.list', { iterator: 'unknown' }),
  fixed('webhooks.endpoints.secret', { endpointId: 'unknown' }),
  sample('folders.list'),
  sample('folders.list.v1'),
  ...all(
    ['folders.list', 'folders.list.v1'],
    ORG,
    UNKNOWN_ORG,
    { organizationId: 'empty' },
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
  sample('documents.list'),
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
  sample('users.data'),
  ...all(
    ['users.data'],
    { ...ORG, ...UNKNOWN_USER },
    { ...UNKNOWN_ORG, userId: 'u1' },
    { ...ORG, userId: 'u1', pageToken: 'unknown' },
  ),
  sample('users.data'),
  ['users.data', ({ last }) => ({ ...ORG, userId: 'u1', pageToken: last('nextPageToken') })],
  sample('crdt.get'),
  ...all(
    ['crdt.get'],
    ...['text', 'array', 'xml', 'unknown'].map((editorId) => ({ ...DOCUMENT, editorId })),
    { ...UNKNOWN_DOCUMENT, editorId: 'text' },
  ),
  sample('agents.list'),
  ...all(
    ['agents.list'],
    {},
    { filter: 'defaultOnly' },
    { filter: 'customOnly' },
    { filter: 'unknown' },
    { groupId: 'ag1' },
    { groupId: 'unknown' },
  ),
  sample('agents.get'),
  ...all(
    ['agents.get'],
    ...['built-in-1', 'built-in-2', 'custom-2', 'unknown', ''].map((agentId) => ({
      agentId,
    })),
  ),
  fixed('documents.migration-status', { ...ORG, migrationId: 'unknown' }),
];

const WRITES: readonly PlannedCall[] = [
  sample('access-tokens.generate'),
  ...all(['access-tokens.generate'], {
    userId: 'u1',
    userProperties: { ...USER, ...ORG },
    permissions: { resources: [] },
  }),
  sample('activities.add'),
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
  sample('activities.update'),
  ...all(
    ['activities.update'],
    { ...ORG, activities: [{ id: 'a1', actionIcon: 'icon' }, { id: 'unknown' }] },
    { ...UNKNOWN_ORG, activities: [{ id: 'a1', actionIcon: 'icon' }] },
  ),
  sample('organizations.add'),
  fixed('organizations.add', { organizations: [ORG] }),
  sample('folders.add'),
  ...all(
    ['folders.add'],
    {
      ...ORG,
      folders: [{ folderId: 'f1' }, { folderId: 'f7', parentFolderId: 'unknown' }],
    },
    { ...UNKNOWN_ORG, folders: [{ folderId: 'f6' }] },
  ),
  sample('folders.update'),
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
  sample('documents.add'),
  ...all(
    ['documents.add'],
    { ...ORG, documents: [{ documentId: 'd1' }] },
    { ...ORG, folderId: 'unknown', documents: [{ documentId: 'd5' }] },
    { ...UNKNOWN_ORG, documents: [{ documentId: 'd5' }] },
  ),
  sample('users.add'),
  sample('users.add.v2'),
  ...all(
    ['users.add', 'users.add.v2'],
    { ...ORG, users: [USER, { userId: 'u3' }] },
    { ...ORG, folderId: 'f1', users: [USER] },
    { ...UNKNOWN_DOCUMENT, users: [USER] },
    { ...ORG, folderId: 'unknown', users: [USER] },
    { ...DOCUMENT, folderId: 'f1', users: [USER] },
    { organizationId: 'new', users: [USER] },
  ),
  sample('users.update'),
  sample('users.update.v2'),
  ...all(
    ['users.update', 'users.update.v2'],
    { ...ORG, users: [USER, UNKNOWN_USER] },
    { ...UNKNOWN_DOCUMENT, users: [USER] },
    { ...ORG, folderId: 'unknown', users: [USER] },
    { ...UNKNOWN_ORG, users: [USER] },
  ),
  sample('groups.add'),
  ...all(
    ['groups.add'],
    { ...ORG, organizationUserGroups: [{ groupId: 'g1', groupName: 'Legal' }] },
    { ...UNKNOWN_ORG, organizationUserGroups: [{ groupId: 'g2', groupName: 'New' }] },
  ),
  sample('groups.add-users'),
  ...all(
    ['groups.add-users'],
    { ...ORG, organizationUserGroupId: 'g1', userIds: ['u1', 'unknown'] },
    { ...ORG, organizationUserGroupId: 'unknown', userIds: ['u1'] },
    { ...UNKNOWN_ORG, organizationUserGroupId: 'g1', userIds: ['u1'] },
  ),
  sample('permissions.add'),
  ...all(
    ['permissions.add'],
    { user: { userId: 'u1' }, permissions: { resources: [{ type: 'document', id: '?', ...ORG }] } },
    { user: UNKNOWN_USER, permissions: { resources: [{ type: 'organization', id: 'unknown' }] } },
  ),
  sample('notifications.add'),
  ...all(
    ['notifications.add'],
    { ...NOTIFICATION, ...UNKNOWN_DOCUMENT },
    { ...NOTIFICATION, ...UNKNOWN_ORG },
  ),
  sample('presence.add'),
  sample('presence.update'),
  ...all(
    ['presence.add', 'presence.update'],
    { ...UNKNOWN_DOCUMENT, users: [USER] },
    { ...UNKNOWN_ORG, documentId: 'd1', users: [USER] },
  ),
  sample('presence.delete'),
  ...all(
    ['presence.delete'],
    { ...DOCUMENT, userIds: ['u1', 'unknown'] },
    { ...UNKNOWN_DOCUMENT, userIds: ['u1'] },
    { ...UNKNOWN_ORG, documentId: 'd1', userIds: ['u1'] },
  ),
  sample('crdt.add'),
  ...all(
    ['crdt.add'],
    { ...DOCUMENT, editorId: 'text', type: 'text', data: 'text' },
    { ...DOCUMENT, editorId: 'bad', type: 'text', data: 1 },
    { ...UNKNOWN_DOCUMENT, editorId: 'new', type: 'text', data: 'text' },
    { ...UNKNOWN_ORG, documentId: 'd1', editorId: 'new', type: 'text', data: 'text' },
  ),
  sample('crdt.update'),
  ...all(
    ['crdt.update'],
    { ...DOCUMENT, editorId: 'text', type: 'text', data: 'new' },
    { ...DOCUMENT, editorId: 'unknown', type: 'text', data: 'new' },
    { ...DOCUMENT, editorId: 'text', type: 'text', data: 1 },
    { ...DOCUMENT, editorId: 'text', type: 'map', data: {} },
  ),
  ...all(
    ['email.update'],
    { emailServiceConfig: { fromCompany: 'Acme' } },
    { useEmailService: true, emailServiceConfig: { triggers: ALL_TRIGGERS } },
    { emailServiceConfig: { type: 'Custom' } },
  ),
  sample('email.update'),
  ...all(['webhooks.config.update'], {
    webhookServiceConfig: { rawNotificationUrl: URL, processedNotificationUrl: URL },
  }),
  sample('webhooks.config.update'),
  sample('permission-provider.update'),
  ...all(['permission-provider.update'], {
    permissionProviderConfig: { permissionProviderUrl: 'unknown' },
  }),
  ...CALLS_OF_UNKNOWN_ENDPOINTS,
  ...all(['webhooks.advanced.update'], { encodeData: true }),
  sample('webhooks.advanced.update'),
  ...all(['webhooks.advanced.update'], { isEnabled: false }),
  ...CALLS_OF_UNKNOWN_ENDPOINTS,
  sample('webhooks.advanced.update'),
  sample('webhooks.endpoints.create'),
  ...all(
    ['webhooks.endpoints.create'],
    { url: URL, uid: 'mine' },
    { url: 'unknown' },
    { url: URL, disabled: true },
  ),
  sample('webhooks.endpoints.secret'),
  sample('webhooks.endpoints.update'),
  fixed('webhooks.endpoints.update', { endpointId: 'unknown', description: 'new' }),
  sample('webhooks.endpoints.delete'),
  fixed('webhooks.endpoints.delete', { endpointId: 'unknown' }),
  sample('workspace.create'),
  ...all(
    ['workspace.create'],
    { ownerEmail: 'ada@example.com' },
    { ownerEmail: 'bob@example.com' },
  ),
  sample('documents.migrate'),
  ...all(
    ['documents.migrate'],
    { ...UNKNOWN_DOCUMENT, newDocumentId: 'd8' },
    { ...UNKNOWN_ORG, documentId: 'd1', newDocumentId: 'd8' },
    { ...ORG, documentId: 'd2', newDocumentId: 'd2' },
    { ...ORG, documentId: 'd2', newDocumentId: 'd3' },
  ),
  sample('documents.migration-status'),
];

/** Replaces the auth token that the other calls use, so it comes last. */
const RESETS: readonly PlannedCall[] = [
  fixed('auth-tokens.reset', { apiKey: 'unknown' }),
  sample('auth-tokens.reset'),
];

/** Returns the calls in order, with the samples of their operations. */
export function loadSampleCalls(): Promise<readonly SampleCall[]> {
  const planned = [...READS, ...WRITES, ...READS, ...RESETS];
  return Promise.all(
    planned.map(async ([name, data]): Promise<SampleCall> => {
      if (data !== 'sample') return [name, data];
      const operation = await loadOperation(getEntry(name).resource, name);
      return [name, operation.sample];
    }),
  );
}
