import { expect, test } from 'vitest';
import { gradeAgainstEmulators } from '../../src/contract/emulators.ts';
import { playSamples } from '../../src/contract/play-samples.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { startRecordedWorld } from './recorded-world.ts';

const TIME = 1_710_000_000_000;
const FOLDER = {
  folderId: 'plans',
  folderName: 'Plans',
  organizationId: 'org1',
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
const ENDPOINT = {
  id: 'ep_1',
  url: 'https://example.com/hook',
  description: null,
  filterTypes: null,
  channels: null,
  disabled: false,
  rateLimit: null,
  uid: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
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
    triggers: { 'comment.add': true },
  },
};
const item = (id: string, message: string) => ({ [id]: { success: true, id, message } });

/** Successes as the interface documents them: path, auth, message, data, and siblings of `data`. */
const SUCCESSES: readonly (readonly [
  path: string,
  auth: 'key' | 'workspace',
  message: string,
  data?: unknown,
  siblings?: object,
])[] = [
  [
    '/v2/workspace/get',
    'workspace',
    'Workspace retrieved successfully',
    {
      id: 'w1',
      name: 'Main',
      owner: { email: 'o@example.com', id: 'o1', name: 'O', avatar: 'https://example.com/o.png' },
      authToken: 'token',
      apiKeyList: { key: { apiKeyName: 'Main', id: 'key', type: 'testing' } },
    },
  ],
  [
    '/v2/workspace/authtoken/reset',
    'workspace',
    'Auth token reset successfully.',
    { apiKey: 'key', newAuthToken: { token: 't', name: 'n', domains: [] } },
  ],
  ['/v2/auth/generate_token', 'key', 'Token generated successfully.', { token: 'a.b.c' }],
  [
    '/v2/workspace/advancedwebhook/endpoints/get',
    'key',
    'Advanced webhook endpoints retrieved successfully.',
    { endpoints: [ENDPOINT], iterator: null, prevIterator: null, done: true },
  ],
  [
    '/v2/workspace/advancedwebhook/endpoints/create',
    'key',
    'Advanced webhook endpoint created successfully.',
    ENDPOINT,
  ],
  [
    '/v2/workspace/advancedwebhook/endpoints/delete',
    'key',
    'Advanced webhook endpoint deleted successfully.',
    { endpointId: 'ep_1', deleted: true },
  ],
  [
    '/v2/workspace/advancedwebhookconfig/get',
    'key',
    'Advanced webhook configuration retrieved successfully.',
    {
      isEnabled: true,
      encryptData: false,
      encodeData: false,
      publicKey: '',
      enableDataProtection: false,
    },
  ],
  [
    '/v2/workspace/emailconfig/update',
    'key',
    'Email configuration updated successfully.',
    EMAIL_CONFIG,
  ],
  [
    '/v2/workspace/webhookconfig/update',
    'key',
    'Webhook configuration updated successfully.',
    WEBHOOK_CONFIG,
  ],
  [
    '/v2/workspace/webhookconfig/get',
    'key',
    'Webhook configuration retrieved successfully.',
    WEBHOOK_CONFIG,
  ],
  [
    '/v2/workspace/permissionproviderconfig/get',
    'key',
    'Permission provider configuration retrieved successfully.',
    {
      usePermissionProvider: false,
      permissionProviderConfig: { permissionProviderUrl: '', authToken: '' },
    },
  ],
  ['/v2/organizations/folders/get', 'key', 'Folders retrieved successfully.', [FOLDER_V2]],
  [
    '/v2/organizations/folders/get',
    'key',
    'Folder(s) retrieved successfully.',
    [{ ...FOLDER_V2, subFolders: [{ ...FOLDER_V2, folderId: 'old', parentFolderId: 'plans' }] }],
  ],
  ['/v1/organizations/folders/get', 'key', 'Folders retrieved successfully.', [FOLDER]],
  [
    '/v2/organizations/folders/update',
    'key',
    'Folder Updated successfully.',
    item('plans', 'Folder Updated.'),
  ],
  [
    '/v2/organizations/documents/get',
    'key',
    'Document(s) retrieved successfully.',
    [{ id: 'd1', documentName: 'Plan', disabled: false, accessType: 'public' }],
    { pageToken: 'next' },
  ],
  [
    '/v1/organizations/documents/add',
    'key',
    'Document(s) added successfully.',
    item('d1', 'Added Successfully'),
  ],
  [
    '/v2/organizations/documents/migrate',
    'key',
    'Document migration started successfully.',
    { migrationId: 'm1' },
  ],
  [
    '/v2/organizations/documents/migrate/status',
    'key',
    'Migration status retrieved successfully.',
    { migrationId: 'm1', status: 'in_progress' },
  ],
  ['/v1/users/add', 'key', 'User(s) processed successfully.', item('u1', 'User added.')],
  [
    '/v2/organizations/usergroups/users/add',
    'key',
    'Added organization users to group successfully.',
    {
      u1: {
        success: true,
        organizationUserGroupId: 'g1',
        message: 'User added to organization user group.',
      },
    },
  ],
  [
    '/v1/users/data/get',
    'key',
    'Data fetched successfully.',
    { comments: [], reactions: [], recordings: [], notifications: [] },
    { nextPageToken: null },
  ],
  [
    '/v2/notifications/add',
    'key',
    'Notification added successfully.',
    { success: true, message: 'Notification added successfully.' },
  ],
  [
    '/v2/activities/update',
    'key',
    'Activity(s) updated successfully.',
    { a1: { success: true, message: 'Activity updated.' } },
  ],
  ['/v2/presence/update', 'key', 'Presence updated successfully.', { success: true }],
  ['/v2/presence/delete', 'key', 'Presence deleted successfully.', { success: true }],
  ['/v2/crdt/update', 'key', 'CRDT data updated successfully.'],
  [
    '/v2/agents/get',
    'key',
    'Agents fetched successfully',
    {
      agents: [
        {
          id: 'c1',
          name: 'Custom',
          description: 'An agent',
          enabled: true,
          managedBy: 'customer',
          version: 1,
          executionCount: 2,
          lastExecutedAt: TIME,
        },
      ],
    },
  ],
];

/** Failures as the interface documents them. */
const FAILURES: readonly (readonly [string, 'key' | 'workspace', number, string, string])[] = [
  ['/v2/workspace/get', 'workspace', 404, 'NOT_FOUND', 'Workspace not found.'],
  [
    '/v2/workspace/get',
    'workspace',
    429,
    'RESOURCE_EXHAUSTED',
    'Rate limit exceeded. Try again after 1 minute.',
  ],
  ['/v2/workspace/authtoken/reset', 'workspace', 404, 'NOT_FOUND', 'API key not found.'],
  [
    '/v2/workspace/advancedwebhook/endpoints/create',
    'key',
    400,
    'INVALID_ARGUMENT',
    'url must be a valid http(s) URL.',
  ],
  [
    '/v2/workspace/advancedwebhook/endpoints/get',
    'key',
    400,
    'FAILED_PRECONDITION',
    'Advanced webhooks are not configured for this workspace.',
  ],
  ['/v2/workspace/webhookconfig/get', 'key', 403, 'PERMISSION_DENIED', 'Invalid API key.'],
  [
    '/v2/workspace/permissionproviderconfig/get',
    'key',
    403,
    'PERMISSION_DENIED',
    'Invalid API key.',
  ],
  ['/v2/crdt/update', 'key', 404, 'NOT_FOUND', 'No CRDT data found for this editor ID.'],
  ['/v2/crdt/update', 'key', 400, 'INVALID_ARGUMENT', 'Data must be a string for type text.'],
  ['/v2/agents/get', 'key', 404, 'NOT_FOUND', 'Agent not found.'],
];

test('a service that responds as documented has no findings', async () => {
  let body = '';
  let status = 200;
  const { recorder, call } = await startRecordedWorld({}, () => new Response(body, { status }));
  for (const [path, auth, message, data, siblings] of SUCCESSES) {
    body = JSON.stringify({ result: { status: 'success', message, data, ...siblings } });
    await call(path, {}, auth === 'workspace' ? auth : undefined);
  }
  for (const [path, auth, http, code, message] of FAILURES) {
    status = http;
    body = JSON.stringify({ error: { status: code, message } });
    await call(path, {}, auth === 'workspace' ? auth : undefined);
  }
  const recorded = await recorder.contract();
  const { emulator, findings, verdicts } = await gradeAgainstEmulators(recorded, (options) =>
    playSamples({ clock: systemClock }, options),
  );
  expect({ emulator, findings }).toEqual({ emulator: 'svc serve', findings: [] });
  const agreeing = verdicts.filter(({ verdict }) => verdict === 'agrees');
  expect(agreeing).toHaveLength(new Set(SUCCESSES.map(([path]) => path)).size);
});
