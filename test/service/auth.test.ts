import { describe, expect, it } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { post, secondKey, serviceWorld } from './world.ts';

type Headers = Record<string, string>;
type Refusal = readonly [name: string, change: Headers, http: number, status: string, message: string];

/** Each row lacks one thing more than the next: the first that applies is the answer. */
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
  ['an unknown key', { 'x-svc-api-key': 'no', 'x-svc-auth-token': 'no' }, 403, 'PERMISSION_DENIED', 'Invalid API key.'],
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

/** An empty header counts as missing; here it is left out altogether. */
const present = (headers: Headers) => Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));

describe('API key credentials', () => {
  it.each(KEY_REFUSALS)('refuse %s, before looking at the input', async (_, change, http, status, message) => {
    const { call, keyHeaders } = await serviceWorld();
    const headers = present({ ...keyHeaders(), ...change });
    expect(await call('/v1/users/add', {}, headers)).toEqual({ http, body: { error: { status, message } } });
  });

  it('reach only what the key owns', async () => {
    const world = await serviceWorld();
    const { call } = world;
    const second = await secondKey(world);
    const documents = { organizationId: 'acme', documents: [{ documentId: 'd1' }] };
    await call('/v1/organizations/documents/add', documents);
    const theirs = await call('/v2/organizations/documents/get', { organizationId: 'acme' }, second);
    expect(theirs.body.result?.data).toEqual([]);
    const added = await call('/v1/organizations/documents/add', documents, second);
    expect(added.body.result?.data.d1.success).toBe(true);
  });

  it('stop working at once when the token is reset, and the new one works', async () => {
    const { call, credentials, keyHeaders } = await serviceWorld();
    const list = (headers: Headers) => call('/v2/organizations/documents/get', { organizationId: 'acme' }, headers);
    expect((await list(keyHeaders())).http).toBe(200);
    const reset = await call('/v2/workspace/authtoken/reset', { apiKey: credentials.apiKey });
    const { token } = reset.body.result?.data.newAuthToken ?? {};
    expect((await list(keyHeaders())).body.error?.status).toBe('UNAUTHENTICATED');
    expect((await list({ ...keyHeaders(), 'x-svc-auth-token': token })).http).toBe(200);
  });
});

it('operations on one path ask for the same credentials, which are checked before it is known which one is meant', () => {
  for (const [path, entries] of Map.groupBy(manifest, (entry) => entry.path)) {
    expect(new Set(entries.map(({ auth }) => auth)).size, path).toBe(1);
  }
});

describe('workspace credentials', () => {
  it.each(WORKSPACE_REFUSALS)('refuse %s', async (_, change, http, status, message) => {
    const { call, workspaceHeaders } = await serviceWorld();
    const headers = present({ ...workspaceHeaders(), ...change });
    expect(await call('/v2/workspace/get', {}, headers)).toEqual({ http, body: { error: { status, message } } });
  });

  it('do not reset a key of another workspace', async () => {
    const { call, store } = await serviceWorld();
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
    const { fetch, workspaceHeaders } = await serviceWorld();
    const response = await post(fetch, '/v2/workspace/get', '{"data":{}}', { ...workspaceHeaders(), authorization });
    expect(response.status).toBe(http);
  });
});
