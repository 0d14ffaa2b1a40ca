import { describe, expect, it } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { addSecondKey, post, startTestService } from './test-service.ts';

type Headers = Record<string, string>;
type Refusal = readonly [
  name: string,
  change: Headers,
  http: number,
  status: string,
  message: string,
];

/** Each row has one fault more than the next. The service reports the first one that applies. */
const KEY_REFUSALS: readonly Refusal[] = [
  [
    'nothing',
    { 'x-svc-api-key': '', 'x-svc-auth-token': '' },
    400,
    'INVALID_ARGUMENT',
    'API key not found in headers.',
  ],
  [
    'no token',
    { 'x-svc-api-key': 'no', 'x-svc-auth-token': '' },
    400,
    'INVALID_ARGUMENT',
    'Auth Token not found in headers.',
  ],
  [
    'an unknown key',
    { 'x-svc-api-key': 'no', 'x-svc-auth-token': 'no' },
    403,
    'PERMISSION_DENIED',
    'Invalid API key.',
  ],
  ['a wrong token', { 'x-svc-auth-token': 'no' }, 401, 'UNAUTHENTICATED', 'Invalid auth token.'],
];

const WORKSPACE_REFUSALS: readonly Refusal[] = [
  [
    'nothing',
    { 'x-svc-workspace-id': '', 'x-svc-workspace-auth-token': '' },
    400,
    'INVALID_ARGUMENT',
    'Workspace ID not found in headers.',
  ],
  [
    'no token',
    { 'x-svc-workspace-id': 'no', 'x-svc-workspace-auth-token': '' },
    400,
    'INVALID_ARGUMENT',
    'Auth Token not found in headers.',
  ],
  [
    'an unknown workspace',
    { 'x-svc-workspace-id': 'no', 'x-svc-workspace-auth-token': 'no' },
    404,
    'NOT_FOUND',
    'Workspace not found.',
  ],
  [
    'a wrong token',
    { 'x-svc-workspace-auth-token': 'no' },
    401,
    'UNAUTHENTICATED',
    'Invalid auth token for workspace.',
  ],
];

/** Removes undefined headers. An empty header counts as missing, too. */
const omitUndefined = (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));

describe('API key credentials', () => {
  it.each(KEY_REFUSALS)(
    'reject %s before checking the input',
    async (_, change, http, status, message) => {
      const { call, keyHeaders } = await startTestService();
      const headers = omitUndefined({ ...keyHeaders(), ...change });
      expect(await call('/v1/users/add', {}, headers)).toEqual({
        http,
        body: { error: { status, message } },
      });
    },
  );

  it('give access only to data of the API key', async () => {
    const service = await startTestService();
    const { call } = service;
    const second = await addSecondKey(service);
    const documents = { organizationId: 'acme', documents: [{ documentId: 'd1' }] };
    await call('/v1/organizations/documents/add', documents);
    const theirs = await call(
      '/v2/organizations/documents/get',
      { organizationId: 'acme' },
      second,
    );
    expect(theirs.body.result?.data).toEqual([]);
    const added = await call('/v1/organizations/documents/add', documents, second);
    expect(added.body.result?.data.d1.success).toBe(true);
  });

  it('stop working as soon as the token is reset, and the new token works', async () => {
    const { call, credentials, keyHeaders } = await startTestService();
    const list = (headers: Headers) =>
      call('/v2/organizations/documents/get', { organizationId: 'acme' }, headers);
    expect((await list(keyHeaders())).http).toBe(200);
    const reset = await call('/v2/workspace/authtoken/reset', { apiKey: credentials.apiKey });
    const { token } = reset.body.result?.data.newAuthToken ?? {};
    expect((await list(keyHeaders())).body.error?.status).toBe('UNAUTHENTICATED');
    expect((await list({ ...keyHeaders(), 'x-svc-auth-token': token })).http).toBe(200);
  });
});

it('operations on one path require the same credentials, checked before the operation is selected', () => {
  for (const [path, entries] of Map.groupBy(manifest, (entry) => entry.path)) {
    expect(new Set(entries.map(({ auth }) => auth)).size, path).toBe(1);
  }
});

describe('workspace credentials', () => {
  it.each(WORKSPACE_REFUSALS)('reject %s', async (_, change, http, status, message) => {
    const { call, workspaceHeaders } = await startTestService();
    const headers = omitUndefined({ ...workspaceHeaders(), ...change });
    expect(await call('/v2/workspace/get', {}, headers)).toEqual({
      http,
      body: { error: { status, message } },
    });
  });

  it('cannot reset a token of another workspace', async () => {
    const { call, store } = await startTestService();
    await store.write(async (database) => {
      const owner = { ownerId: 'o', ownerName: '', ownerEmail: '', ownerAvatar: '' };
      await database
        .insertInto('workspaces')
        .values({ id: 'w2', name: '', authToken: 't', signingKey: '', ...owner })
        .execute();
      const key = { id: 'k2', workspaceId: 'w2', apiKeyName: '', type: 'testing' };
      await database.insertInto('apiKeys').values(key).execute();
    });
    const reset = await call('/v2/workspace/authtoken/reset', { apiKey: 'k2' });
    expect(reset.body.error?.message).toBe('API key not found.');
  });
});

describe('the Authorization header', () => {
  it.each([
    ['Basic abc', 401],
    ['Bearer abc', 200],
  ])('%s: %i', async (authorization, http) => {
    const { fetch, workspaceHeaders } = await startTestService();
    const response = await post(fetch, '/v2/workspace/get', '{"data":{}}', {
      ...workspaceHeaders(),
      authorization,
    });
    expect(response.status).toBe(http);
  });
});
