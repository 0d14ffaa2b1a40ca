import type { OperationName } from '../src/catalog/index.ts';
import type { KnownValues } from '../src/catalog/sample-data.ts';

/** A success with HTTP status 200, as documented. */
export interface DocumentedAnswer {
  readonly message: string;
  readonly data?: unknown;
  /** Fields next to `data`. */
  readonly beside?: object;
}

const TIME = 1_710_000_000_000;
const FOLDER = {
  folderId: 'f1',
  folderName: 'Plans',
  organizationId: 'acme',
  parentFolderId: 'root',
  createdAt: TIME,
  lastUpdated: TIME,
};
const FOLDER_V2 = {
  ...FOLDER,
  apiKey: 'key',
  ancestors: ['root'],
  accessType: 'public',
  inheritAccessFromParent: true,
};
const SUBFOLDER = { folderId: 'f2', parentFolderId: 'f1' };
const ENDPOINT = {
  id: 'ep_1',
  url: 'https://example.com/hook',
  description: 'new comments',
  filterTypes: ['comment.add'],
  channels: ['c1'],
  disabled: false,
  rateLimit: 5,
  uid: 'mine',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};
const BARE_ENDPOINT = {
  ...ENDPOINT,
  description: null,
  filterTypes: null,
  channels: null,
  rateLimit: null,
  uid: null,
};
const ADVANCED_CONFIG = {
  isEnabled: true,
  encryptData: false,
  encodeData: false,
  publicKey: '',
  enableDataProtection: false,
};
const WEBHOOK_CONFIG = {
  useWebhookService: true,
  webhookServiceConfig: {
    authToken: '',
    rawNotificationUrl: '',
    processedNotificationUrl: '',
    encodeData: false,
    encryptData: false,
    publicKey: '',
    enableDataProtection: false,
    triggers: { 'comment.add': true },
  },
};
const EMAIL_CONFIG = {
  useEmailService: true,
  emailServiceConfig: {
    type: 'custom',
    apiKey: '',
    fromEmail: 'a@example.com',
    fromCompany: '',
    commentTemplateId: 'd-1',
    tagTemplateId: 'd-2',
    triggers: { 'comment.add': true },
  },
};
const PROVIDER_CONFIG = {
  usePermissionProvider: false,
  permissionProviderConfig: { permissionProviderUrl: '', authToken: '' },
};
const WORKSPACE = {
  id: 'w1',
  name: 'Main',
  owner: { email: 'o@example.com', id: 'o1', name: 'O', avatar: 'https://example.com/o.png' },
  authToken: 'token',
  apiKeyList: { key: { apiKeyName: 'Main', id: 'key', type: 'testing' } },
};
const AUTH_TOKEN = { token: 't', name: 'Default Auth Token', domains: [] };
const AGENT_IDENTITY = {
  id: 'agent-1',
  name: 'Custom',
  description: 'An agent',
  enabled: true,
  version: 1,
  managedBy: 'customer',
};
const IDLE_BUILT_IN_AGENT = {
  id: 'built-in-1',
  name: 'Built-in',
  description: 'An agent',
  enabled: true,
  system: true,
  essentialDefault: true,
  managedBy: 'platform',
  executionCount: 0,
  lastExecutedAt: null,
};
/** A custom agent with the settings that a call for one agent returns. */
export const DOCUMENTED_AGENT = {
  ...AGENT_IDENTITY,
  rawInstructions: 'Do it',
  instructions: 'Do it',
  contextGathering: { strategies: [], strategyOptions: {} },
  execution: { executionStrategy: 'once', mcpServers: [] },
  response: { useAiFormatting: false },
  postProcess: { guardrails: { enabled: false } },
  input: { userContextFields: [] },
  scope: { pageScope: [] },
};

/** IDs of new records, which only the service knows. */
const OPAQUE_ID = '0123456789abcdef0123456789abcdef';
const DOCUMENT_RECORD_ID = '1234567890123456';

/** The result of one record: the key is the caller's ID. */
const item = (key: string, message: string, id = OPAQUE_ID) => ({
  [key]: { success: true, id, message },
});

/** The IDs in `DOCUMENTED_ANSWERS`, for the samples of operations. */
export const DOCUMENTED_IDS: KnownValues = {
  apiKey: 'key',
  last: () => 'm1',
};

/**
 * The documented success of each operation for its sample, which `svc serve` and the client are
 * tested with.
 */
export const DOCUMENTED_ANSWERS: Readonly<Record<OperationName, DocumentedAnswer>> = {
  'access-tokens.generate': { message: 'Token generated successfully.', data: { token: 'a.b.c' } },
  'activities.add': {
    message: 'Activity(s) added successfully.',
    data: { success: true, message: 'Activity(s) added successfully.' },
  },
  'activities.update': {
    message: 'Activity(s) updated successfully.',
    data: { a1: { success: true, message: 'Activity updated.' } },
  },
  'agents.list': {
    message: 'Agents fetched successfully',
    data: {
      agents: [{ ...AGENT_IDENTITY, executionCount: 2, lastExecutedAt: TIME }, IDLE_BUILT_IN_AGENT],
    },
  },
  'agents.get': { message: 'Agent fetched successfully', data: { agent: DOCUMENTED_AGENT } },
  'auth-tokens.reset': {
    message: 'Auth token reset successfully.',
    data: { apiKey: 'key', newAuthToken: AUTH_TOKEN },
  },
  'auth-tokens.list': {
    message: 'Auth tokens retrieved successfully.',
    data: { apiKey: 'key', authTokens: [AUTH_TOKEN] },
  },
  'crdt.get': {
    message: 'CRDT data retrieved successfully.',
    data: [
      {
        id: 'e1',
        data: 'text',
        lastUpdate: '2026-01-01T00:00:00.000Z',
        lastUpdatedBy: 'api',
        sessionId: null,
      },
    ],
  },
  'crdt.add': { message: 'CRDT data added successfully.' },
  'crdt.update': { message: 'CRDT data updated successfully.' },
  'documents.list': {
    message: 'Document(s) retrieved successfully.',
    data: [{ id: 'd1', documentName: 'Plan', disabled: false, accessType: 'public' }],
    beside: { pageToken: 'next' },
  },
  'documents.add': {
    message: 'Document(s) added successfully.',
    data: item('d4', 'Added Successfully', DOCUMENT_RECORD_ID),
  },
  'documents.migrate': {
    message: 'Document migration started successfully.',
    data: { migrationId: 'm1' },
  },
  'documents.migration-status': {
    message: 'Migration status retrieved successfully.',
    data: { migrationId: 'm1', status: 'completed' },
  },
  'email.get': { message: 'Email configuration retrieved successfully.', data: EMAIL_CONFIG },
  'email.update': { message: 'Email configuration updated successfully.', data: EMAIL_CONFIG },
  'folders.list': {
    message: 'Folder(s) retrieved successfully.',
    data: [{ ...FOLDER_V2, subFolders: [{ ...FOLDER_V2, ...SUBFOLDER, subFolders: [] }] }],
  },
  'folders.list.v1': {
    message: 'Folders retrieved successfully.',
    data: [{ ...FOLDER, subFolders: [{ ...FOLDER, ...SUBFOLDER }] }],
  },
  'folders.add': {
    message: 'Folder created successfully.',
    data: item('f6', 'Folder added.', 'f6'),
  },
  'folders.update': {
    message: 'Folder Updated successfully.',
    data: item('f1', 'Folder Updated.', 'f1'),
  },
  'groups.add': {
    message: 'Organization User Groups added successfully.',
    data: item('sales', 'Organization user group added.'),
  },
  'groups.add-users': {
    message: 'Added organization users to group successfully.',
    data: {
      u1: {
        success: true,
        organizationUserGroupId: 'g1',
        message: 'User added to organization user group.',
      },
    },
  },
  'notifications.add': {
    message: 'Notification added successfully.',
    data: { success: true, message: 'Notification added successfully.' },
  },
  'organizations.add': {
    message: 'Organization(s) added successfully.',
    data: item('beta', 'Added Successfully'),
  },
  'permission-provider.get': {
    message: 'Permission provider configuration retrieved successfully.',
    data: PROVIDER_CONFIG,
  },
  'permission-provider.update': {
    message: 'Permission provider configuration updated successfully.',
    data: PROVIDER_CONFIG,
  },
  'permissions.add': { message: 'Permissions added successfully.' },
  'presence.add': { message: 'Presence added successfully.', data: { success: true } },
  'presence.update': { message: 'Presence updated successfully.', data: { success: true } },
  'presence.delete': { message: 'Presence deleted successfully.', data: { success: true } },
  'users.add': { message: 'User(s) processed successfully.', data: item('u1', 'User added.') },
  'users.add.v2': { message: 'User(s) processed successfully.', data: item('u1', 'User added.') },
  'users.update': { message: 'User(s) processed successfully.', data: item('u1', 'User updated.') },
  'users.update.v2': {
    message: 'User(s) processed successfully.',
    data: item('u1', 'User updated.'),
  },
  'users.data': {
    message: 'Data fetched successfully.',
    data: { comments: [], reactions: [], recordings: [], notifications: [] },
    beside: { nextPageToken: null },
  },
  'webhooks.config.get': {
    message: 'Webhook configuration retrieved successfully.',
    data: WEBHOOK_CONFIG,
  },
  'webhooks.config.update': {
    message: 'Webhook configuration updated successfully.',
    data: WEBHOOK_CONFIG,
  },
  'webhooks.advanced.get': {
    message: 'Advanced webhook configuration retrieved successfully.',
    data: ADVANCED_CONFIG,
  },
  'webhooks.advanced.update': {
    message: 'Advanced webhook configuration updated successfully.',
    data: ADVANCED_CONFIG,
  },
  'webhooks.endpoints.list': {
    message: 'Advanced webhook endpoints retrieved successfully.',
    data: { endpoints: [BARE_ENDPOINT], iterator: null, prevIterator: null, done: true },
  },
  'webhooks.endpoints.create': {
    message: 'Advanced webhook endpoint created successfully.',
    data: ENDPOINT,
  },
  'webhooks.endpoints.update': {
    message: 'Advanced webhook endpoint updated successfully.',
    data: { ...ENDPOINT, uid: null },
  },
  'webhooks.endpoints.delete': {
    message: 'Advanced webhook endpoint deleted successfully.',
    data: { endpointId: 'ep_1', deleted: true },
  },
  'webhooks.endpoints.secret': {
    message: 'Advanced webhook endpoint secret retrieved successfully.',
    data: { endpointId: 'ep_1', secret: 'whsec_c2VjcmV0IG9mIHRoZSBlbmRwb2ludA==' },
  },
  'workspace.get': { message: 'Workspace retrieved successfully', data: WORKSPACE },
  'workspace.create': { message: 'Workspace created successfully', data: WORKSPACE },
};
