import { describe, expect, it } from 'vitest';
import { post, startTestService } from './test-service.ts';

const CREATE = '/v2/workspace/create';
const TOKENS = '/v2/workspace/authtokens/get';

describe('creating a workspace', () => {
  it('needs no credentials, and returns the whole record', async () => {
    const { fetch } = await startTestService();
    const data = {
      ownerEmail: 'ada@example.com',
      name: 'Ada',
      workspaceName: 'Engines',
      avatar: 'https://example.com/ada.png',
    };
    const response = await post(fetch, CREATE, JSON.stringify({ data }));
    expect(response.status).toBe(200);
    const body = JSON.parse(await response.text());
    const [key] = Object.keys(body.result.data.apiKeyList);
    expect(body).toEqual({
      result: {
        status: 'success',
        message: 'Workspace created successfully',
        data: {
          id: expect.stringMatching(/^[0-9a-f]{32}$/),
          name: 'Engines',
          owner: {
            email: data.ownerEmail,
            id: expect.any(String),
            name: 'Ada',
            avatar: data.avatar,
          },
          authToken: expect.stringMatching(/^[\w-]{32}$/),
          apiKeyList: { [`${key}`]: { apiKeyName: 'Ada Test API Key', id: key, type: 'testing' } },
        },
      },
    });
  });

  it('returns working credentials for a separate workspace', async () => {
    const { call } = await startTestService();
    const { body } = await call(CREATE, { ownerEmail: 'ada@example.com' });
    const { id, authToken, apiKeyList } = body.result?.data ?? {};
    const headers = { 'x-svc-workspace-id': id, 'x-svc-workspace-auth-token': authToken };
    expect((await call('/v2/workspace/get', {}, headers)).body.result?.data).toEqual(
      body.result?.data,
    );
    const [apiKey = ''] = Object.keys(apiKeyList);
    const listed = await call(TOKENS, { apiKey }, headers);
    const [{ token }] = listed.body.result?.data.authTokens ?? [];
    const key = { 'x-svc-api-key': apiKey, 'x-svc-auth-token': token };
    expect(
      (await call('/v2/organizations/documents/get', { organizationId: 'acme' }, key)).http,
    ).toBe(200);
  });

  it('is possible only once per email address', async () => {
    const { call } = await startTestService();
    await call(CREATE, { ownerEmail: 'ada@example.com' });
    expect(await call(CREATE, { ownerEmail: 'ada@example.com', name: 'Other' })).toEqual({
      http: 409,
      body: {
        error: {
          status: 'ALREADY_EXISTS',
          message: 'A workspace already exists for this email address',
        },
      },
    });
    expect((await call(CREATE, { ownerEmail: 'bob@example.com' })).http).toBe(200);
  });

  it.each([
    {},
    { ownerEmail: '' },
    { ownerEmail: 7 },
    { ownerEmail: 'a@b.c', name: 'x'.repeat(201) },
    { ownerEmail: 'a@b.c', workspaceName: 'x'.repeat(201) },
    { ownerEmail: 'a@b.c', avatar: 'no url' },
    { ownerEmail: 'a@b.c', avatar: `https://example.com/${'x'.repeat(2_000)}` },
  ])('rejects %j', async (data) => {
    const { call } = await startTestService();
    expect((await call(CREATE, data)).body.error?.status).toBe('INVALID_ARGUMENT');
    expect((await call(CREATE, { ownerEmail: 'a@b.c' })).http).toBe(200);
  });
});

describe('the auth tokens of an API key', () => {
  it('are listed with name and domains, also after a reset', async () => {
    const { call, credentials } = await startTestService();
    const { apiKey, authToken: token } = credentials;
    const reply = (authToken: object) => ({
      http: 200,
      body: {
        result: {
          status: 'success',
          message: 'Auth tokens retrieved successfully.',
          data: { apiKey, authTokens: [authToken] },
        },
      },
    });
    expect(await call(TOKENS, { apiKey })).toEqual(
      reply({ token, name: 'Default Auth Token', domains: [] }),
    );
    const reset = await call('/v2/workspace/authtoken/reset', { apiKey });
    expect(await call(TOKENS, { apiKey })).toEqual(reply(reset.body.result?.data.newAuthToken));
  });

  it('are not shown to another workspace', async () => {
    const { call, credentials } = await startTestService();
    const { body } = await call(CREATE, { ownerEmail: 'ada@example.com' });
    const { id, authToken } = body.result?.data ?? {};
    const headers = { 'x-svc-workspace-id': id, 'x-svc-workspace-auth-token': authToken };
    const { apiKey } = credentials;
    for (const path of [TOKENS, '/v2/workspace/authtoken/reset']) {
      expect(await call(path, { apiKey }, headers)).toEqual({
        http: 404,
        body: { error: { status: 'NOT_FOUND', message: 'API key not found.' } },
      });
    }
  });
});
