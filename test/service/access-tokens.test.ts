import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addSecondKey, startTestService } from './test-service.ts';

const GENERATE = '/v2/auth/generate_token';
const NOW = 1_700_000_000;
const IN_2100 = 4_102_444_800;

const request = {
  userId: 'u1',
  userProperties: { name: 'Ada', email: 'ada@example.com', isAdmin: true },
  permissions: {
    resources: [
      { type: 'organization', id: 'acme' },
      {
        type: 'document',
        id: 'd1',
        organizationId: 'acme',
        accessRole: 'viewer',
        expiresAt: IN_2100,
      },
    ],
  },
};

const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());
const claimsOf = (token: string) => decode(token.split('.')[1]);

describe('an access token', () => {
  it('contains the user and the permissions for 48 hours', async () => {
    const { call, credentials } = await startTestService();
    const { http, body } = await call(GENERATE, request);
    expect(http).toBe(200);
    expect(body.result).toEqual({
      status: 'success',
      message: 'Token generated successfully.',
      data: { token: expect.any(String) },
    });
    const token: string = body.result?.data.token;
    const [header, claims] = token.split('.');
    expect(decode(header)).toEqual({ alg: 'HS256', typ: 'JWT' });
    expect(decode(claims)).toEqual({
      iss: 'svc',
      sub: 'u1',
      aud: credentials.apiKey,
      iat: NOW,
      exp: NOW + 172_800,
      name: 'Ada',
      email: 'ada@example.com',
      isAdmin: true,
      permissions: {
        resources: [
          { type: 'organization', id: 'acme', accessRole: 'editor' },
          {
            type: 'document',
            id: 'd1',
            organizationId: 'acme',
            accessRole: 'viewer',
            expiresAt: IN_2100,
          },
        ],
      },
    });
  });

  it("is signed with the workspace's own key, which is stored", async () => {
    const { call, store } = await startTestService();
    const [workspace] = await store.read((database) =>
      database.selectFrom('workspaces').select('signingKey').execute(),
    );
    const key = Buffer.from(workspace?.signingKey ?? '', 'base64url');
    expect(key).toHaveLength(32);
    const { body } = await call(GENERATE, request);
    const token: string = body.result?.data.token;
    const signed = token.slice(0, token.lastIndexOf('.'));
    expect(token).toBe(`${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`);
    expect(JSON.stringify(body)).not.toContain(workspace?.signingKey);
  });

  it('has the requesting API key as its audience', async () => {
    const service = await startTestService();
    const { body } = await service.call(GENERATE, request, await addSecondKey(service));
    expect(claimsOf(body.result?.data.token).aud).toBe('second-key');
  });

  it('defaults isAdmin to false, and accepts an empty list of resources', async () => {
    const { call } = await startTestService();
    const userProperties = { name: 'Ada', email: 'ada@example.com', sub: 'someone else', iss: 'x' };
    const { body } = await call(GENERATE, {
      userId: 'u1',
      userProperties,
      permissions: { resources: [] },
    });
    const claims = claimsOf(body.result?.data.token);
    expect(claims).toMatchObject({
      iss: 'svc',
      sub: 'u1',
      isAdmin: false,
      permissions: { resources: [] },
    });
  });

  it('requires an expiry in the future by the clock of the service', async () => {
    const { call } = await startTestService();
    const resources = [{ type: 'organization', id: 'acme', expiresAt: NOW + 1 }];
    expect(await call(GENERATE, { ...request, permissions: { resources } })).toMatchObject({
      http: 200,
    });
  });

  it.each([
    [
      { userProperties: { name: 'Ada', email: 'a', organizationId: 'acme' } },
      'userProperties.organizationId: ',
    ],
    [{ userProperties: { name: 'Ada' } }, 'Email is required (userProperties.email).'],
    [
      { permissions: { resources: [{ type: 'team', id: 't' }] } },
      'permissions.resources[0].type: ',
    ],
    [
      { permissions: { resources: [{ type: 'document', id: 'd' }] } },
      'permissions.resources[0].organizationId: ',
    ],
    [
      { permissions: { resources: [{ type: 'organization', id: 'o', expiresAt: NOW }] } },
      'permissions.resources[0].expiresAt is in the past',
    ],
    [
      { permissions: { resources: [{ type: 'organization', id: 'o', accessRole: 'owner' }] } },
      'permissions.resources[0].accessRole: ',
    ],
  ])('is rejected for %j', async (change, field) => {
    const { call } = await startTestService();
    const { http, body } = await call(GENERATE, { ...request, ...change });
    expect([http, body.error?.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(body.error?.message.startsWith(field), body.error?.message).toBe(true);
  });
});
