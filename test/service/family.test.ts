import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { startTestService } from './test-service.ts';

const ACME = { organizationId: 'acme' };
const OPAQUE_ID = expect.stringMatching(/^[0-9a-f]{32}$/);

describe('older paths', () => {
  it('/v2/organizations/documents/add adds documents', async () => {
    const { call } = await startTestService();
    const documents = [{ documentId: 'd1', documentName: 'Plan' }];
    const added = await call('/v2/organizations/documents/add', { ...ACME, documents });
    expect(added.body.result).toEqual({
      status: 'success',
      message: 'Document(s) added successfully.',
      data: {
        d1: { success: true, id: expect.stringMatching(/^\d{16}$/), message: 'Added Successfully' },
      },
    });
  });

  it('/v2/users/data/get returns the data of a user', async () => {
    const { call } = await startTestService();
    expect((await call('/v2/users/data/get', { ...ACME, userId: 'u1' })).body.result).toEqual({
      status: 'success',
      message: 'Data fetched successfully.',
      data: { comments: [], reactions: [], recordings: [], notifications: [] },
      nextPageToken: null,
    });
  });

  const OLDER_TOKEN = '/v2/auth/token/get';

  it(`${OLDER_TOKEN} takes the organization as a property of the user`, async () => {
    const { call } = await startTestService();
    const { body } = await call(OLDER_TOKEN, {
      userId: 'u1',
      userProperties: { organizationId: 'acme', email: 'ada@example.com', isAdmin: true },
    });
    expect(body.result).toMatchObject({ message: 'Token generated successfully.' });
    expect(decodeJwt(body.result?.data.token)).toMatchObject({
      sub: 'u1',
      email: 'ada@example.com',
      isAdmin: true,
      permissions: { resources: [{ type: 'organization', id: 'acme', accessRole: 'editor' }] },
    });
  });

  it(`${OLDER_TOKEN} keeps the name and the other resources`, async () => {
    const { call } = await startTestService();
    const { body } = await call(OLDER_TOKEN, {
      userId: 'u1',
      userProperties: { organizationId: 'acme', name: 'Ada', email: 'ada@example.com' },
      permissions: { resources: [{ type: 'document', id: 'd1', ...ACME, accessRole: 'viewer' }] },
    });
    expect(decodeJwt(body.result?.data.token)).toMatchObject({
      name: 'Ada',
      permissions: {
        resources: [
          { type: 'organization', id: 'acme' },
          { type: 'document', id: 'd1', organizationId: 'acme', accessRole: 'viewer' },
        ],
      },
    });
  });

  it.each([{}, { userProperties: 1 }, { userId: 'u1', permissions: [] }, [], 'text'])(
    `${OLDER_TOKEN} rejects %j`,
    async (data) => {
      const { call } = await startTestService();
      const { http, body } = await call(OLDER_TOKEN, data as object);
      expect([http, body.error?.status]).toEqual([400, 'INVALID_ARGUMENT']);
    },
  );

  it('need the same credentials', async () => {
    const { call, credentials } = await startTestService();
    const wrong = { 'x-svc-api-key': credentials.apiKey, 'x-svc-auth-token': 'wrong' };
    expect((await call('/v2/users/data/get', ACME, wrong)).http).toBe(401);
  });
});

describe('messages', () => {
  it.each([
    ['/v2/organizations/documents/get', {}, 'Organization ID is required'],
    ['/v2/organizations/documents/get', { organizationId: '' }, 'Organization ID is required'],
    ['/v2/crdt/get', { ...ACME }, 'Document ID is required.'],
    ['/v2/crdt/add', { ...ACME, documentId: 'd1', type: 'text' }, 'Editor ID is required.'],
    ['/v1/users/add', { ...ACME, users: [{}] }, 'User ID is required (users[0].userId).'],
    ['/v1/users/add', { ...ACME, users: [] }, 'users is empty'],
    [
      '/v1/users/add',
      { ...ACME, users: [{ userId: 7 }] },
      'users[0].userId: expected text, got a number: put it in quotes',
    ],
    [
      '/v2/workspace/permissionproviderconfig/update',
      { permissionProviderConfig: { permissionProviderUrl: 'no' } },
      'Please enter a valid URL',
    ],
    [
      '/v2/workspace/advancedwebhook/endpoints/update',
      { endpointId: 'ep_1' },
      'At least one endpoint field besides endpointId must be provided.',
    ],
  ])('%s rejects %j', async (path, data, message) => {
    const { call } = await startTestService();
    const { http, body } = await call(path, data);
    expect([http, body.error?.status, body.error?.message]).toEqual([
      400,
      'INVALID_ARGUMENT',
      message,
    ]);
  });

  it('a precondition names the request that meets it', async () => {
    const { call } = await startTestService();
    const list = async () => (await call('/v2/workspace/advancedwebhook/endpoints/get', {})).body;
    const advice =
      'Enable them via POST /v2/workspace/advancedwebhookconfig/update with { "isEnabled": true }.';
    expect((await list()).error?.message).toBe(
      `Advanced webhooks are not configured for this workspace. ${advice}`,
    );
    await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    expect((await list()).result?.status).toBe('success');
    await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: false });
    expect((await list()).error?.message).toBe(
      `Advanced webhooks are disabled for this workspace. ${advice}`,
    );
  });
});

describe('email settings', () => {
  const UPDATE = '/v2/workspace/emailconfig/update';

  it('accept other provider types, and keep the IDs of templates', async () => {
    const { call } = await startTestService();
    const initial = await call('/v2/workspace/emailconfig/get', {});
    expect(Object.keys(initial.body.result?.data.emailServiceConfig)).toEqual([
      'type',
      'apiKey',
      'fromEmail',
      'fromCompany',
    ]);
    const emailServiceConfig = {
      type: 'mail-2',
      commentTemplateId: 'd-1',
      tagTemplateId: 'd-2',
    };
    await call(UPDATE, { emailServiceConfig });
    const { body } = await call('/v2/workspace/emailconfig/get', {});
    expect(body.result?.data.emailServiceConfig).toMatchObject(emailServiceConfig);
  });
});

describe('the permission provider', () => {
  const UPDATE = '/v2/workspace/permissionproviderconfig/update';

  it('can be enabled without a URL, and its URL can be removed', async () => {
    const { call } = await startTestService();
    const urlAfter = async (data: object) =>
      (await call(UPDATE, data)).body.result?.data.permissionProviderConfig.permissionProviderUrl;
    expect(await urlAfter({ usePermissionProvider: true })).toBe('');
    const url = 'https://example.com/permissions';
    expect(await urlAfter({ permissionProviderConfig: { permissionProviderUrl: url } })).toBe(url);
    expect(await urlAfter({ permissionProviderConfig: { permissionProviderUrl: '' } })).toBe('');
  });
});

describe('a new workspace', () => {
  const create = async (data: object) => {
    const { call } = await startTestService();
    return (await call('/v2/workspace/create', data)).body;
  };

  it('takes its names from the email address', async () => {
    const { result } = await create({ ownerEmail: 'owner@example.com' });
    const [key] = Object.values<{ apiKeyName: string }>(result?.data.apiKeyList);
    expect([key?.apiKeyName, result?.data.name, result?.data.owner.name]).toEqual([
      'Owner Test API Key',
      'owner@example.com workspace',
      'owner@example.com',
    ]);
  });

  it('is named after its owner', async () => {
    const { result } = await create({ ownerEmail: 'owner@example.com', name: 'Ada' });
    expect([result?.data.name, result?.data.owner.name]).toEqual(['Ada workspace', 'Ada']);
  });

  it('rejects an empty name of the owner', async () => {
    const { error } = await create({ ownerEmail: 'owner@example.com', name: '' });
    expect([error?.status, error?.message]).toEqual(['INVALID_ARGUMENT', 'Name is required.']);
  });
});

it('IDs of new records are opaque', async () => {
  const { call } = await startTestService();
  const organizations = await call('/v2/organizations/add', { organizations: [ACME] });
  const groups = await call('/v2/organizations/usergroups/add', {
    ...ACME,
    organizationUserGroups: [{ groupId: 'g1' }],
  });
  const users = await call('/v2/users/update', { ...ACME, users: [{ userId: 'u1' }] });
  expect([organizations, groups, users].map(({ body }) => body.result?.data)).toEqual([
    { acme: { success: true, id: OPAQUE_ID, message: 'Added Successfully' } },
    { g1: { success: true, id: OPAQUE_ID, message: 'Organization user group added.' } },
    { u1: { success: false, id: OPAQUE_ID, message: 'User does not exist.' } },
  ]);
});
