import { stateSchema } from '../../../src/catalog/state.ts';

/** A state with records of every kind, including IDs and texts that have caused bugs. */
export const FULL_STATE = stateSchema.parse({
  organizations: [
    { organizationId: 'acme', organizationName: 'Acme Inc.', region: { name: 'eu' } },
    { organizationId: '__proto__' },
  ],
  folders: [
    { organizationId: 'acme', folderId: 'f3', parentFolderId: 'f2', folderName: 'Pläne' },
    { organizationId: 'acme', folderId: 'f2', parentFolderId: 'f1' },
    {
      organizationId: 'acme',
      folderId: 'f1',
      accessType: 'restricted',
      createdAt: 1_600_000_000_000,
    },
    { organizationId: '__proto__', folderId: 'f1' },
  ],
  documents: [
    { organizationId: 'acme', documentId: 'd2', documentName: 'Q3 "plan"', folderId: 'f3' },
    { organizationId: 'acme', documentId: 'd1', disabled: true, accessType: 'organizationPrivate' },
    { organizationId: '__proto__', documentId: 'constructor' },
  ],
  users: [
    {
      organizationId: 'acme',
      userId: '0123',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      plan: 'gold',
    },
    {
      organizationId: 'acme',
      userId: '__proto__',
      memberships: [
        { type: 'document', id: 'd1', accessRole: 'viewer', expiresAt: 1_700_000_000.5 },
        { type: 'folder', id: 'not there yet' },
      ],
    },
    { organizationId: 'acme', userId: 'nowhere', memberships: [] },
    { organizationId: '__proto__', userId: '0123', name: '李' },
  ],
  groups: [
    {
      organizationId: 'acme',
      groupId: 'legal',
      groupName: 'Legal',
      userIds: ['__proto__', '0123'],
      colour: 'red',
    },
    { organizationId: '__proto__', groupId: 'legal' },
  ],
  activities: [
    {
      organizationId: 'acme',
      documentId: 'd1',
      id: 'a2',
      featureType: 'custom',
      changes: { x: { from: 1, to: null } },
    },
    { organizationId: 'acme', id: 'a1' },
  ],
  agents: [
    {
      id: 'b',
      name: 'Built-in',
      system: true,
      executionCount: 3,
      lastExecutedAt: 1_700_000_000_000,
    },
    { id: 'a', name: 'Custom', execution: { mcpServers: [{ auth: { token: 'kept in full' } }] } },
  ],
  agentGroups: [{ groupId: 'g', agentIds: ['b', 'a'], groupName: 'Both' }],
  crdt: [
    {
      organizationId: 'acme',
      documentId: 'd1',
      editorId: 'e',
      type: 'map',
      data: { z: [1, { a: null }], a: 'ä' },
    },
    {
      organizationId: 'acme',
      documentId: 'd1',
      editorId: 'e',
      type: 'text',
      data: 'two keys',
      contentKey: 'default',
    },
    {
      organizationId: 'acme',
      documentId: 'd1',
      editorId: 'x',
      type: 'xml',
      data: '<p a="&quot;">x<b/></p>',
    },
    {
      organizationId: 'acme',
      documentId: 'd9',
      editorId: 'e',
      type: 'array',
      data: [[], '', 0, false],
    },
  ],
  userData: [
    {
      organizationId: 'acme',
      userId: '0123',
      comments: [{ id: 'c2', documentId: 'd1', text: '' }, { id: 'c1' }],
      reactions: [{ documentId: 7 }],
      recordings: [{}],
      notifications: [{ notificationId: 'n1', documentId: 'd1' }],
    },
    { organizationId: 'acme', userId: 'unheard of', comments: [{ id: 'c2' }] },
  ],
  endpoints: [
    {
      id: 'ep_b',
      url: 'https://example.com/b',
      description: 'b',
      filterTypes: ['comment.add'],
      channels: ['c'],
      disabled: true,
      rateLimit: 5,
      uid: 'u',
      metadata: { team: 'x' },
      secret: 'whsec_AAAA',
      createdAt: '2024-01-02T03:04:05.678Z',
      updatedAt: '2024-02-02T03:04:05.000Z',
    },
    { id: 'ep_a', url: 'https://example.com/a', filterTypes: null },
  ],
  config: {
    webhook: {
      useWebhookService: true,
      webhookServiceConfig: {
        triggers: { 'comment.add': false },
        rawNotificationUrl: '',
        authToken: 'token',
      },
    },
    advancedWebhooks: { isEnabled: true },
    email: { emailServiceConfig: { type: 'custom', apiKey: 'key' }, useEmailService: true },
    permissionProvider: { permissionProviderConfig: { permissionProviderUrl: '', authToken: '' } },
  },
});
