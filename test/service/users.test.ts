import { describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './test-service.ts';

const ADD = '/v1/users/add';

const readUsers = ({ store }: TestService) =>
  store.read((database) =>
    database
      .selectFrom('users')
      .select(['userId', 'name', 'email', 'initial', 'otherFields'])
      .orderBy('userId')
      .execute(),
  );

const readMembers = ({ store }: TestService) =>
  store.read((database) =>
    database
      .selectFrom('members')
      .select(['level', 'resourceId', 'userId'])
      .orderBy('level')
      .orderBy('userId')
      .execute(),
  );

describe('adding users', () => {
  it('updates the supplied fields, and keeps the others and the ID', async () => {
    const service = await startTestService();
    const add = (user: object) =>
      service.call(ADD, { organizationId: 'acme', users: [{ userId: 'u1', ...user }] });
    const first = await add({ name: 'Ada Lovelace', email: 'ada@example.com', color: 'red' });
    const second = await add({ name: 'Grace Hopper' });
    expect(second.body.result?.data).toEqual(first.body.result?.data);
    expect(await readUsers(service)).toEqual([
      {
        userId: 'u1',
        name: 'Grace Hopper',
        email: 'ada@example.com',
        initial: 'G',
        otherFields: '{"color":"red"}',
      },
    ]);
  });

  it.each([
    ['ada', 'A'],
    [' öre', 'Ö'],
    ['"Zoë"', 'Z'],
    ['李雷', '李'],
    ['𝒜da', '𝒜'],
    ['(4th floor)', '4'],
    ['?', null],
    ['', null],
    [undefined, null],
  ])('derives the initial of %j as %j', async (name, initial) => {
    const service = await startTestService();
    await service.call(ADD, { organizationId: 'acme', users: [{ userId: 'u1', name }] });
    expect((await readUsers(service))[0]?.initial).toBe(initial);
  });

  it('returns results under unusual IDs', async () => {
    const { call } = await startTestService();
    const ids = [
      '__proto__',
      'constructor',
      'toString',
      '10',
      '9',
      'a,b',
      'é',
      '🙂',
      'with\u0000nul',
      ' ',
      "';--",
    ];
    const { body } = await call(ADD, {
      organizationId: '__proto__',
      users: ids.map((userId) => ({ userId })),
    });
    const results = new Map(Object.entries(body.result?.data));
    expect([...results.keys()].sort()).toEqual([...ids].sort());
    expect([...results.values()]).toEqual(
      ids.map(() => expect.objectContaining({ success: true })),
    );
  });

  it('uses the last of two records with the same ID', async () => {
    const service = await startTestService();
    const users = [
      { userId: 'u1', name: 'First' },
      { userId: 'u1', name: 'Last' },
    ];
    await service.call(ADD, { organizationId: 'acme', users });
    expect((await readUsers(service)).map(({ name }) => name)).toEqual(['Last']);
  });

  it('adds more users than fit in one statement', async () => {
    const service = await startTestService();
    const users = Array.from({ length: 1_234 }, (_, n) => ({ userId: `u${n}` }));
    const { body } = await service.call(ADD, { organizationId: 'acme', users });
    expect(Object.keys(body.result?.data)).toHaveLength(1_234);
    expect(await readMembers(service)).toHaveLength(1_234);
  });
});

describe('membership levels', () => {
  it('are separate: a member of a document or folder is not a member of the organization', async () => {
    const service = await startTestService();
    const { call } = service;
    const organizationId = 'acme';
    await call('/v2/organizations/folders/add', {
      organizationId,
      createOrganization: true,
      folders: [{ folderId: 'f1' }],
    });
    await call('/v1/organizations/documents/add', {
      organizationId,
      documents: [{ documentId: 'd1' }],
    });
    await call(ADD, { organizationId, documentId: 'd1', users: [{ userId: 'of-document' }] });
    await call(ADD, { organizationId, folderId: 'f1', users: [{ userId: 'of-folder' }] });
    await call(ADD, { organizationId, users: [{ userId: 'of-organization' }] });
    expect(await readMembers(service)).toEqual([
      { level: 'document', resourceId: 'd1', userId: 'of-document' },
      { level: 'folder', resourceId: 'f1', userId: 'of-folder' },
      { level: 'organization', resourceId: '', userId: 'of-organization' },
    ]);
  });

  it.each([
    [{ documentId: 'no' }, 'Document not found.'],
    [{ folderId: 'no' }, 'Folder not found.'],
    [{ documentId: 'd', folderId: 'f' }, 'folderId: specify documentId or folderId, not both'],
  ])('%j is rejected, and nothing is written', async (target, message) => {
    const { call, store } = await startTestService();
    const { http, body } = await call(ADD, {
      organizationId: 'new',
      ...target,
      users: [{ userId: 'u1' }],
    });
    expect(http).toBe(400);
    expect(body.error).toMatchObject({ status: 'INVALID_ARGUMENT', message });
    const organizations = await store.read((database) =>
      database.selectFrom('organizations').selectAll().execute(),
    );
    expect(organizations).toEqual([]);
  });
});

describe('concurrent calls', () => {
  it('do not use an organization that a refused call has created', async () => {
    const { call, reported } = await startTestService();
    const users = [{ userId: 'u1' }];
    const inMissing = { organizationId: 'acme', documentId: 'missing', users };
    const refused = () => call(ADD, inMissing);
    const added = () => call(ADD, { organizationId: 'acme', users });
    const outcomes = await Promise.all([refused(), added(), refused(), added()]);
    expect(outcomes.map(({ http }) => http)).toEqual([400, 200, 400, 200]);
    expect(reported).toEqual([]);
  });

  it('after a reset of the token need the new token, also in the same transaction', async () => {
    const { call, credentials, workspaceHeaders } = await startTestService();
    const add = (userId: string, headers?: Record<string, string>) =>
      call(ADD, { organizationId: 'acme', users: [{ userId }] }, headers);
    const [, reset] = await Promise.all([
      add('u1'),
      call('/v2/workspace/authtoken/reset', { apiKey: credentials.apiKey }, workspaceHeaders()),
    ]);
    const { token } = reset.body.result?.data.newAuthToken ?? {};
    const outcomes = await Promise.all([
      add('u2'),
      add('u3', { 'x-svc-api-key': credentials.apiKey, 'x-svc-auth-token': token }),
    ]);
    expect(outcomes.map(({ http }) => http)).toEqual([401, 200]);
  });
});
