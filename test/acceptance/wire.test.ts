import { describe, expect, it } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { startDialogue } from './dialogue.ts';
import { writeData } from './doors.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService, success } from './mock-service.ts';
import { newUser } from './svc.ts';

/** A command line, its specified request, and the data of the response. */
interface Wire {
  readonly command: string;
  readonly path: string;
  readonly data: unknown;
  readonly reply: unknown;
  /** Fields next to `data` in the response. */
  readonly beside?: object;
}

const item = { success: true, message: 'done' };
const endpoint = {
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
const basicConfig = {
  useWebhookService: true,
  webhookServiceConfig: { authToken: '', rawNotificationUrl: '', processedNotificationUrl: '' },
};
const advancedConfig = {
  isEnabled: true,
  encryptData: false,
  encodeData: false,
  publicKey: '',
  enableDataProtection: false,
};
const emailConfig = {
  useEmailService: true,
  emailServiceConfig: { type: 'custom', apiKey: '', fromEmail: '', fromCompany: '' },
};
const providerConfig = {
  usePermissionProvider: true,
  permissionProviderConfig: { permissionProviderUrl: '', authToken: '' },
};
const workspaceRecord = {
  id: 'w1',
  name: 'W',
  owner: { email: 'a@b.c' },
  authToken: 't',
  apiKeyList: {},
};
const folder = {
  folderId: 'f1',
  folderName: 'F',
  organizationId: 'acme',
  parentFolderId: 'root',
  createdAt: 1,
  lastUpdated: 2,
};
/** Sends only the write: without the read of the values that it replaces. */
const NO_UNDO = { SVC_UNDO: '0' };
const in2027 = 1_800_000_000;

/** Derived from the API specification, command by command. */
const WIRES: Readonly<Record<string, readonly Wire[]>> = {
  workspace: [
    { command: 'workspace get', path: '/v2/workspace/get', data: {}, reply: workspaceRecord },
    {
      command: 'workspace create --owner-email a@b.c --workspace-name W',
      path: '/v2/workspace/create',
      data: { ownerEmail: 'a@b.c', workspaceName: 'W' },
      reply: workspaceRecord,
    },
    {
      command: 'auth-tokens reset --api-key K --yes',
      path: '/v2/workspace/authtoken/reset',
      data: { apiKey: 'K' },
      reply: {
        apiKey: 'K',
        newAuthToken: { token: 'new', name: 'Default Auth Token', domains: [] },
      },
    },
    {
      command: 'auth-tokens list --api-key K',
      path: '/v2/workspace/authtokens/get',
      data: { apiKey: 'K' },
      reply: { apiKey: 'K', authTokens: [{ token: 't', name: 'n', domains: [] }] },
    },
  ],
  access: [
    {
      command: `access-tokens generate --user u1 --name Ada --email a@b.c --admin --resource type=organization,id=acme --resource type=document,id="a,b:c",org=acme,role=viewer,expires=${in2027}`,
      path: '/v2/auth/generate_token',
      data: {
        userId: 'u1',
        userProperties: { name: 'Ada', email: 'a@b.c', isAdmin: true },
        permissions: {
          resources: [
            { type: 'organization', id: 'acme' },
            {
              type: 'document',
              id: 'a,b:c',
              organizationId: 'acme',
              accessRole: 'viewer',
              expiresAt: in2027,
            },
          ],
        },
      },
      reply: { token: 'jwt' },
    },
    {
      command: 'permissions add --user u1 --resource type=folder,id=f1,org=acme,role=editor',
      path: '/v2/auth/permissions/add',
      data: {
        user: { userId: 'u1' },
        permissions: {
          resources: [{ type: 'folder', id: 'f1', organizationId: 'acme', accessRole: 'editor' }],
        },
      },
      reply: null,
    },
  ],
  webhooks: [
    {
      command: 'webhooks endpoints list --page-size 10',
      path: '/v2/workspace/advancedwebhook/endpoints/get',
      data: { limit: 10 },
      reply: { endpoints: [endpoint], iterator: null, prevIterator: null, done: true },
    },
    {
      command:
        'webhooks endpoints create --url https://example.com/hook --description D --filter-type comment.add --filter-type comment.update --channel c1 --disabled --rate-limit 5 --uid mine --metadata a=b',
      path: '/v2/workspace/advancedwebhook/endpoints/create',
      data: {
        url: 'https://example.com/hook',
        description: 'D',
        filterTypes: ['comment.add', 'comment.update'],
        channels: ['c1'],
        disabled: true,
        rateLimit: 5,
        uid: 'mine',
        metadata: { a: 'b' },
      },
      reply: endpoint,
    },
    {
      command: 'webhooks endpoints update ep_1 --no-disabled',
      path: '/v2/workspace/advancedwebhook/endpoints/update',
      data: { endpointId: 'ep_1', disabled: false },
      reply: endpoint,
    },
    {
      command: 'webhooks endpoints delete ep_1 --yes',
      path: '/v2/workspace/advancedwebhook/endpoints/delete',
      data: { endpointId: 'ep_1' },
      reply: { endpointId: 'ep_1', deleted: true },
    },
    {
      command: 'webhooks endpoints secret ep_1',
      path: '/v2/workspace/advancedwebhook/endpoints/secret/get',
      data: { endpointId: 'ep_1' },
      reply: { endpointId: 'ep_1', secret: 'whsec_x' },
    },
    {
      command: 'webhooks advanced get',
      path: '/v2/workspace/advancedwebhookconfig/get',
      data: {},
      reply: advancedConfig,
    },
    {
      command: 'webhooks advanced update --enable --no-encode-data',
      path: '/v2/workspace/advancedwebhookconfig/update',
      data: { isEnabled: true, encodeData: false },
      reply: advancedConfig,
    },
    {
      command: 'webhooks config get',
      path: '/v2/workspace/webhookconfig/get',
      data: {},
      reply: basicConfig,
    },
    {
      command:
        'webhooks config update --enable --raw-notification-url https://example.com/raw --processed-notification-url https://example.com/p --encode-data --public-key PK --trigger comment.add=false',
      path: '/v2/workspace/webhookconfig/update',
      data: {
        useWebhookService: true,
        webhookServiceConfig: {
          rawNotificationUrl: 'https://example.com/raw',
          processedNotificationUrl: 'https://example.com/p',
          encodeData: true,
          publicKey: 'PK',
          triggers: { 'comment.add': false },
        },
      },
      reply: basicConfig,
    },
    {
      command: 'webhooks config update --disable --yes',
      path: '/v2/workspace/webhookconfig/update',
      data: { useWebhookService: false },
      reply: basicConfig,
    },
  ],
  services: [
    { command: 'email get', path: '/v2/workspace/emailconfig/get', data: {}, reply: emailConfig },
    {
      command:
        'email update --enable --type custom --from-email a@b.c --from-company Acme --trigger comment.add=true',
      path: '/v2/workspace/emailconfig/update',
      data: {
        useEmailService: true,
        emailServiceConfig: {
          type: 'custom',
          fromEmail: 'a@b.c',
          fromCompany: 'Acme',
          triggers: { 'comment.add': true },
        },
      },
      reply: emailConfig,
    },
    {
      command: 'permission-provider get',
      path: '/v2/workspace/permissionproviderconfig/get',
      data: {},
      reply: providerConfig,
    },
    {
      command:
        'permission-provider update --enable --permission-provider-url https://example.com/p',
      path: '/v2/workspace/permissionproviderconfig/update',
      data: {
        usePermissionProvider: true,
        permissionProviderConfig: { permissionProviderUrl: 'https://example.com/p' },
      },
      reply: providerConfig,
    },
    {
      command: 'agents list --filter customOnly --group g1',
      path: '/v2/agents/get',
      data: { filter: 'customOnly', groupId: 'g1' },
      reply: { agents: [{ id: 'a1', name: 'A' }] },
    },
    {
      command: 'agents get a1',
      path: '/v2/agents/get',
      data: { agentId: 'a1' },
      reply: { agent: { id: 'a1', name: 'A' } },
    },
  ],
  organizations: [
    {
      command: 'organizations add --org acme --name Acme',
      path: '/v2/organizations/add',
      data: { organizations: [{ organizationId: 'acme', organizationName: 'Acme' }] },
      reply: { acme: item },
    },
    {
      command: 'folders list --org acme --folder f1 --max-depth 2',
      path: '/v2/organizations/folders/get',
      data: { organizationId: 'acme', folderId: 'f1', maxDepth: 2 },
      reply: [folder],
    },
    {
      command: 'folders list --org acme --api-version v1',
      path: '/v1/organizations/folders/get',
      data: { organizationId: 'acme' },
      reply: [folder],
    },
    {
      command:
        'folders add --org acme --folder f1 --name F --parent root --access-type public --create-organization',
      path: '/v2/organizations/folders/add',
      data: {
        organizationId: 'acme',
        createOrganization: true,
        folders: [
          { folderId: 'f1', folderName: 'F', parentFolderId: 'root', accessType: 'public' },
        ],
      },
      reply: { f1: item },
    },
    {
      command: 'folders update --org acme --folder f1 --name G --parent f2',
      path: '/v2/organizations/folders/update',
      data: {
        organizationId: 'acme',
        folders: [{ folderId: 'f1', folderName: 'G', parentFolderId: 'f2' }],
      },
      reply: { f1: item },
    },
    {
      command: 'documents list --org acme --document d1 --folder f1 --page-size 5 --page-token T',
      path: '/v2/organizations/documents/get',
      data: {
        organizationId: 'acme',
        documentIds: ['d1'],
        folderId: 'f1',
        pageSize: 5,
        pageToken: 'T',
      },
      reply: [{ id: 'd1', documentName: 'D' }],
    },
    {
      command: 'documents add --org acme --folder f1 --document d1 --name D',
      path: '/v1/organizations/documents/add',
      data: {
        organizationId: 'acme',
        folderId: 'f1',
        documents: [{ documentId: 'd1', documentName: 'D' }],
      },
      reply: { d1: item },
    },
    {
      command: 'documents migrate --org acme --document d1 --new-document d2 --yes',
      path: '/v2/organizations/documents/migrate',
      data: { organizationId: 'acme', documentId: 'd1', newDocumentId: 'd2' },
      reply: { migrationId: 'm1' },
    },
    {
      command: 'documents migration-status --org acme --migration m1',
      path: '/v2/organizations/documents/migrate/status',
      data: { organizationId: 'acme', migrationId: 'm1' },
      reply: { migrationId: 'm1', status: 'completed' },
    },
  ],
  users: [
    {
      command: 'users add --org acme --document d1 --user u1 --name Ada --email a@b.c --initial A',
      path: '/v1/users/add',
      data: {
        organizationId: 'acme',
        documentId: 'd1',
        users: [{ userId: 'u1', name: 'Ada', email: 'a@b.c', initial: 'A' }],
      },
      reply: { u1: item },
    },
    {
      command: 'users add --org acme --folder f1 --create-folder --user u1 --role viewer',
      path: '/v2/users/add',
      data: {
        organizationId: 'acme',
        folderId: 'f1',
        createFolder: true,
        createOrganization: true,
        users: [{ userId: 'u1', accessRole: 'viewer' }],
      },
      reply: { u1: item },
    },
    {
      command: 'users update --org acme --user u1 --name Ada',
      path: '/v1/users/update',
      data: { organizationId: 'acme', users: [{ userId: 'u1', name: 'Ada' }] },
      reply: { u1: item },
    },
    {
      command: 'users update --org acme --user u1 --role editor',
      path: '/v2/users/update',
      data: { organizationId: 'acme', users: [{ userId: 'u1', accessRole: 'editor' }] },
      reply: { u1: item },
    },
    {
      command: 'users data --org acme --user u1 --page-token T',
      path: '/v1/users/data/get',
      data: { organizationId: 'acme', userId: 'u1', pageToken: 'T' },
      reply: { comments: [], reactions: [], recordings: [], notifications: [] },
      beside: { nextPageToken: null },
    },
    {
      command: 'groups add --org acme --group g1 --name G',
      path: '/v2/organizations/usergroups/add',
      data: { organizationId: 'acme', organizationUserGroups: [{ groupId: 'g1', groupName: 'G' }] },
      reply: { g1: item },
    },
    {
      command: 'groups add-users --org acme --group g1 --user u1 --user u2',
      path: '/v2/organizations/usergroups/users/add',
      data: { organizationId: 'acme', organizationUserGroupId: 'g1', userIds: ['u1', 'u2'] },
      reply: { u1: item, u2: item },
    },
  ],
  happenings: [
    {
      command:
        'notifications add --org acme --document d1 --create-document --action-user user=u1,name=Ada --notification n-1 --headline {actionUser}_came --headline-data actionUser=Ada --body Look --notify-user u2 --verify-user-permissions --notification-source custom --access team=red',
      path: '/v2/notifications/add',
      data: {
        organizationId: 'acme',
        documentId: 'd1',
        createDocument: true,
        actionUser: { userId: 'u1', name: 'Ada' },
        notificationId: 'n-1',
        displayHeadlineMessageTemplate: '{actionUser}_came',
        displayHeadlineMessageTemplateData: { actionUser: 'Ada' },
        displayBodyMessage: 'Look',
        notifyUsers: [{ userId: 'u2' }],
        notifyAll: false,
        verifyUserPermissions: true,
        notificationSource: 'custom',
        context: { access: { team: 'red' } },
      },
      reply: { success: true, message: 'Notification added successfully.' },
    },
    ...[
      { flags: '--notify-all', recipients: { notifyUsers: [], notifyAll: true } },
      {
        flags: '--notify-user u2 --notify-all',
        recipients: { notifyUsers: [{ userId: 'u2' }], notifyAll: true },
      },
      {
        flags: '--data {"notifyUsers":[{"userId":"u2"}]}',
        recipients: { notifyUsers: [{ userId: 'u2' }] },
      },
    ].map(({ flags, recipients }) => ({
      command: `notifications add --org acme --document d1 --action-user u1 --notification n-1 --headline Hi --body Look ${flags} --yes`,
      path: '/v2/notifications/add',
      data: {
        organizationId: 'acme',
        documentId: 'd1',
        actionUser: { userId: 'u1' },
        notificationId: 'n-1',
        displayHeadlineMessageTemplate: 'Hi',
        displayBodyMessage: 'Look',
        ...recipients,
      },
      reply: { success: true, message: 'Notification added successfully.' },
    })),
    {
      command:
        'activities add --org acme --document d1 --activity a1 --feature-type custom --target-entity t1 --action-type done --action-user u1',
      path: '/v2/activities/add',
      data: {
        organizationId: 'acme',
        documentId: 'd1',
        activities: [
          {
            id: 'a1',
            featureType: 'custom',
            targetEntityId: 't1',
            actionType: 'done',
            actionUser: { userId: 'u1' },
          },
        ],
      },
      reply: { a1: item },
    },
    {
      command:
        'activities update --org acme --activity a1 --change status=open:done --action-icon star',
      path: '/v2/activities/update',
      data: {
        organizationId: 'acme',
        activities: [
          { id: 'a1', changes: { status: { from: 'open', to: 'done' } }, actionIcon: 'star' },
        ],
      },
      reply: { a1: item },
    },
    ...['add', 'update'].map((verb) => ({
      command: `presence ${verb} --org acme --document d1 --user u1 --name Ada --status away`,
      path: `/v2/presence/${verb}`,
      data: {
        organizationId: 'acme',
        documentId: 'd1',
        users: [{ userId: 'u1', name: 'Ada', status: 'away' }],
      },
      reply: { success: true },
    })),
    {
      command: 'presence delete --org acme --document d1 --user u1 --user u2 --yes',
      path: '/v2/presence/delete',
      data: { organizationId: 'acme', documentId: 'd1', userIds: ['u1', 'u2'] },
      reply: { success: true },
    },
    {
      command: 'crdt get --org acme --document d1 --editor e1',
      path: '/v2/crdt/get',
      data: { organizationId: 'acme', documentId: 'd1', editorId: 'e1' },
      reply: [{ id: 'e1', data: 'x', lastUpdate: 1, lastUpdatedBy: 'u', sessionId: 's' }],
    },
    {
      command: 'crdt add --org acme --document d1 --editor e1 --type map --content {"a":1}',
      path: '/v2/crdt/add',
      data: {
        organizationId: 'acme',
        documentId: 'd1',
        editorId: 'e1',
        type: 'map',
        data: { a: 1 },
      },
      reply: undefined,
    },
    {
      command:
        'crdt update --org acme --document d1 --editor e1 --type text --content {"a":1} --content-key k --yes',
      path: '/v2/crdt/update',
      data: {
        organizationId: 'acme',
        documentId: 'd1',
        editorId: 'e1',
        type: 'text',
        data: '{"a":1}',
        contentKey: 'k',
      },
      reply: undefined,
    },
  ],
};

const ALL = Object.values(WIRES).flat();

describe('the request of each command', () => {
  it.each(ALL.map((wire) => [wire.command, wire] as const))(
    'svc %s',
    async (_, { command, path, data, reply, beside }) => {
      const { svc } = await newUserInProcess();
      const { env, received } = await startMockService(() => success(reply, beside));
      const workspace = {
        SVC_WORKSPACE_ID: 'workspace-1',
        SVC_WORKSPACE_AUTH_TOKEN: 'token-of-the-workspace',
      };
      const run = await svc([...command.split(' '), '-o', 'json'], {
        env: { ...env, ...workspace, ...NO_UNDO },
      });
      expect(run.code, run.stderr).toBe(0);
      expect(received.map((request) => [request.path, request.body])).toEqual([[path, { data }]]);
      const [request] = received;
      expect(request?.headers['content-type']).toMatch(/^application\/json/);
      const sent = Object.keys(request?.headers ?? {}).filter((name) => name.startsWith('x-svc-'));
      expect(sent.sort()).toEqual(credentialsOf(path));
      expect(request?.headers).not.toHaveProperty('authorization');
      expect(run.stdout === '' || JSON.parse(run.stdout) !== undefined).toBe(true);
    },
  );

  it('is the same with --data', async () => {
    const { svc } = await newUserInProcess();
    const operations = ALL.map((wire) => {
      const typed = wire.command.split(' ');
      const entry = manifest.find(
        ({ path, command }) =>
          path === wire.path && command.every((word, at) => typed[at] === word),
      );
      const { command: words = [], version = '' } = entry ?? {};
      const versions = manifest.filter(({ command }) => command.join() === words.join());
      return { ...wire, words, version: versions.length > 1 ? ['--api-version', version] : [] };
    });
    for (const { words, version, path, data, reply, beside } of operations) {
      const { env, received } = await startMockService(() => success(reply, beside));
      const workspace = {
        SVC_WORKSPACE_ID: 'workspace-1',
        SVC_WORKSPACE_AUTH_TOKEN: 'token-of-the-workspace',
      };
      const run = await svc([...words, ...writeData(data), ...version, '--yes', '-o', 'json'], {
        env: { ...env, ...workspace, ...NO_UNDO },
      });
      expect(run.code, `${words.join(' ')}: ${run.stderr}`).toBe(0);
      expect(received.map((request) => [request.path, request.body])).toEqual([[path, { data }]]);
    }
  });

  it('is tested for every operation of the catalog', () => {
    const seen = new Set(
      ALL.map(({ path, command }) => `${path} ${command.split(' ').slice(0, 3).join(' ')}`),
    );
    const missing = manifest.filter(
      ({ path, command }) =>
        ![...seen].some((line) => line.startsWith(`${path} ${command.join(' ')}`)),
    );
    expect(missing.map(({ name }) => name)).toEqual([]);
  });
});

describe('several IDs in one command', () => {
  const DELETE = ['webhooks', 'endpoints', 'delete', '--yes', '-o', 'json'];

  /** Deletes every endpoint except ep_2, which fails. */
  async function deleting(status: number, word: string, ...ids: readonly string[]) {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(({ body }) =>
      body.data['endpointId'] === 'ep_2'
        ? failure(status, word, 'no such endpoint')
        : success({ endpointId: body.data['endpointId'], deleted: true }),
    );
    const run = await svc([...DELETE, ...ids], { env: { ...env, ...NO_UNDO } });
    const [warnings, error] = [
      run.stderr.split('\n').slice(0, -2),
      run.stderr.trimEnd().split('\n').at(-1) ?? '',
    ];
    return {
      code: run.code,
      result: run.stdout === '' ? undefined : JSON.parse(run.stdout),
      warnings,
      error: JSON.parse(error).error,
      asked: received.map(({ body }) => body.data['endpointId']),
    };
  }

  it('result in one call each, and a missing one does not prevent the deletion of the others', async () => {
    const { code, result, warnings, error, asked } = await deleting(
      404,
      'NOT_FOUND',
      'ep_1',
      'ep_2',
      'ep_3',
      'ep_1',
    );
    expect(asked).toEqual(['ep_1', 'ep_2', 'ep_3']);
    expect(result).toEqual(['ep_1', 'ep_3'].map((endpointId) => ({ endpointId, deleted: true })));
    expect([code, error]).toMatchObject([
      10,
      { code: 'records_failed', message: '1 of 3 endpoints failed: ep_2' },
    ]);
    expect(error.hint).toBe('to list the endpoints, run svc webhooks endpoints list');
    const message = 'ep_2: no such endpoint (NOT_FOUND)';
    expect(warnings.map((line) => JSON.parse(line))).toEqual([
      { note: { level: 'warning', message } },
    ]);
  });

  it('exit with 5 if only one is given and not found, however often it is repeated', async () => {
    expect(await deleting(404, 'NOT_FOUND', 'ep_2', 'ep_2')).toMatchObject({
      code: 5,
      asked: ['ep_2'],
    });
  });

  it('end at a failure that applies to all of them, which names the IDs that were not tried', async () => {
    const ended = await deleting(403, 'PERMISSION_DENIED', 'ep_1', 'ep_2', 'ep_3', 'ep_4');
    expect(ended).toMatchObject({ code: 4, asked: ['ep_1', 'ep_2'], warnings: [] });
    expect(ended.result).toEqual([{ endpointId: 'ep_1', deleted: true }]);
    expect(ended.error).toMatchObject({
      status: 'PERMISSION_DENIED',
      message: 'ep_2: no such endpoint; not tried: ep_3, ep_4',
    });
  });
});

describe('--envelope with --all', () => {
  it('prints one document with all results', async () => {
    const { svc } = await newUserInProcess();
    const { env } = await startMockService(({ body }) =>
      body.data['pageToken'] === 'T'
        ? success([{ id: 'd2' }])
        : success([{ id: 'd1' }], { pageToken: 'T' }),
    );
    const run = await svc(
      ['documents', 'list', '--org', 'acme', '--all', '--envelope', '-o', 'json'],
      { env },
    );
    expect(run.code, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject([
      { data: [{ id: 'd1' }], pageToken: 'T' },
      { data: [{ id: 'd2' }] },
    ]);
  });
});

describe('the configuration of the permission provider', () => {
  it.each([
    { flags: ['--enable'], data: { usePermissionProvider: true } },
    {
      flags: ['--permission-provider-url', ''],
      data: { permissionProviderConfig: { permissionProviderUrl: '' } },
    },
  ])('is sent as given: $flags', async ({ flags, data }) => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() =>
      success({ usePermissionProvider: true, permissionProviderConfig: {} }),
    );
    const run = await svc(['permission-provider', 'update', ...flags], {
      env: { ...env, ...NO_UNDO },
    });
    expect(run.code, run.stderr).toBe(0);
    expect(received.map(({ body }) => body)).toEqual([{ data }]);
  });
});

describe('a configuration that cannot work', () => {
  it.each([
    { address: 'ada@', yes: [], code: 2 },
    { address: 'ada@', yes: ['--yes'], code: 0 },
    { address: '', yes: [], code: 0 },
    { address: 'ada@example.com', yes: [], code: 0 },
  ])(
    "is confirmed before it is sent: the sender address '$address' $yes",
    async ({ address, yes, code }) => {
      const { svc } = await newUserInProcess();
      const { env, received } = await startMockService(() => success(emailConfig));
      const run = await svc(['email', 'update', '--enable', '--from-email', address, ...yes], {
        env: { ...env, ...NO_UNDO },
      });
      expect([run.code, received.length], run.stderr).toEqual([code, code === 0 ? 1 : 0]);
      const question =
        "svc: confirmation required: The sender address 'ada@' is not a valid email address.";
      if (code !== 0) expect(run.stderr).toContain(question);
    },
  );
});

describe('the recipients of notifications add', () => {
  const NOTIFY =
    'notifications add --org acme --document d1 --action-user u1 --headline Hi --body Look'.split(
      ' ',
    );

  it.each([
    [['--notify-all'], /^svc: confirmation required: Notify every user of organization acme\?/],
    [
      ['--notify-user', 'u2', '--notify-all'],
      /^svc: confirmation required: Notify every user of organization acme\? /,
    ],
    [[], /^svc: --notify-user or --notify-all is required\n/],
    [['--no-notify-all'], /^svc: --notify-user or --notify-all is required\n/],
  ])('are everyone only with --notify-all, which asks: %j', async (flags, message) => {
    const { svc } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({ success: true }));
    const { code, stderr } = await svc([...NOTIFY, ...flags], { env });
    expect([code, stderr, received]).toEqual([2, expect.stringMatching(message), []]);
  });

  it('are asked for on a terminal, where a yes notifies everyone', async () => {
    const { env: userEnv } = await newUser();
    const { env, received } = await startMockService(() => success({ success: true }));
    const screen = startDialogue([...NOTIFY, '--notify-all'], { ...userEnv, ...env });
    await screen.answer('Notify every user of organization acme?', 'y\r');
    expect(await screen.ended, screen.text()).toBe(0);
    expect(received.map(({ body }) => body.data)).toMatchObject([
      { notifyUsers: [], notifyAll: true },
    ]);
  });
});

/** Credential headers by authentication kind of the API. */
function credentialsOf(path: string): readonly string[] {
  if (path === '/v2/workspace/create') return [];
  const workspacePaths = [
    '/v2/workspace/get',
    '/v2/workspace/authtoken/reset',
    '/v2/workspace/authtokens/get',
  ];
  return workspacePaths.includes(path)
    ? ['x-svc-workspace-auth-token', 'x-svc-workspace-id']
    : ['x-svc-api-key', 'x-svc-auth-token'];
}
