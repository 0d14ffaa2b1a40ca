import { describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './test-service.ts';

const organizationId = 'acme';

const readUsers = ({ store }: TestService) =>
  store.read((database) =>
    database.selectFrom('users').select(['userId', 'name', 'email', 'initial']).execute(),
  );

const readRoles = async ({ store }: TestService) => {
  const members = await store.read((database) =>
    database.selectFrom('members').selectAll().orderBy('level').execute(),
  );
  return members.map(({ level, userId, accessRole }) => `${level} ${userId} ${accessRole}`);
};

const outcomes = (data: object) => Object.entries(data).map(([id, { success }]) => [id, success]);

describe('adding users, v2', () => {
  const ADD = '/v2/users/add';
  const users = [{ userId: 'u1' }];

  it.each([
    [{}, 'Organization not found.'],
    [{ createDocument: true, documentId: 'd1' }, 'Organization not found.'],
    [{ createOrganization: true, documentId: 'd1' }, 'Document not found.'],
    [{ createOrganization: true, folderId: 'f1' }, 'Folder not found.'],
    [{ createOrganization: true, createDocument: true, folderId: 'f1' }, 'Folder not found.'],
    [{ createOrganization: true, createFolder: true, folderId: 'root' }, 'Folder not found.'],
  ])('creates only requested objects: %j', async (target, message) => {
    const { call, store } = await startTestService();
    const { http, body } = await call(ADD, { organizationId, ...target, users });
    expect([http, body.error]).toEqual([400, { status: 'INVALID_ARGUMENT', message }]);
    const organizations = await store.read((database) =>
      database.selectFrom('organizations').selectAll().execute(),
    );
    expect(organizations, 'nothing is left behind').toEqual([]);
  });

  it('creates the document or folder if requested, once', async () => {
    const service = await startTestService();
    for (let times = 0; times < 2; times++) {
      const create = {
        organizationId,
        createOrganization: true,
        createDocument: true,
        createFolder: true,
        users,
      };
      expect((await service.call(ADD, { ...create, documentId: 'd1' })).http).toBe(200);
      expect((await service.call(ADD, { ...create, folderId: 'f1' })).http).toBe(200);
    }
    const documents = await service.call('/v2/organizations/documents/get', { organizationId });
    expect(documents.body.result?.data).toEqual([
      { id: 'd1', disabled: false, accessType: 'public' },
    ]);
    const folders = await service.call('/v2/organizations/folders/get', { organizationId });
    expect(folders.body.result?.data).toMatchObject([
      { folderId: 'f1', parentFolderId: 'root', ancestors: ['root'] },
    ]);
    expect(await readRoles(service)).toEqual(['document u1 null', 'folder u1 null']);
  });

  it('keeps the name of an existing folder', async () => {
    const { call } = await startTestService();
    const folders = [{ folderId: 'f1', folderName: 'Plans' }];
    await call('/v2/organizations/folders/add', {
      organizationId,
      createOrganization: true,
      folders,
    });
    await call(ADD, { organizationId, folderId: 'f1', createFolder: true, users });
    const { body } = await call('/v2/organizations/folders/get', { organizationId });
    expect(body.result?.data).toMatchObject([{ folderId: 'f1', folderName: 'Plans' }]);
  });

  it('sets a role, which adding the user again without a role keeps', async () => {
    const service = await startTestService();
    const add = (path: string, user: object) =>
      service.call(path, {
        organizationId,
        createOrganization: true,
        users: [{ userId: 'u1', ...user }],
      });
    await add(ADD, { accessRole: 'viewer' });
    await add(ADD, {});
    await add('/v1/users/add', {});
    expect(await readRoles(service)).toEqual(['organization u1 viewer']);
    await add(ADD, { accessRole: 'editor' });
    expect(await readRoles(service)).toEqual(['organization u1 editor']);
  });
});

describe('updating users', () => {
  const UPDATE = '/v1/users/update';

  async function withUser(): Promise<TestService> {
    const service = await startTestService();
    const users = [{ userId: 'u1', name: 'Ada', email: 'ada@example.com' }];
    await service.call('/v1/users/add', { organizationId, users });
    return service;
  }

  it('changes only the supplied fields, and adds no users', async () => {
    const service = await withUser();
    const { body } = await service.call(UPDATE, {
      organizationId,
      users: [{ userId: '__proto__' }, { userId: 'u1', name: 'Grace' }],
    });
    expect(outcomes(body.result?.data)).toEqual([
      ['__proto__', false],
      ['u1', true],
    ]);
    expect(await readUsers(service)).toEqual([
      { userId: 'u1', name: 'Grace', email: 'ada@example.com', initial: 'G' },
    ]);
  });

  it('finds no users in an organization that does not exist, and does not create it', async () => {
    const { call, store } = await startTestService();
    const { body } = await call(UPDATE, {
      organizationId: 'no',
      documentId: 'd1',
      users: [{ userId: 'u1' }],
    });
    expect(outcomes(body.result?.data)).toEqual([['u1', false]]);
    expect(
      await store.read((database) => database.selectFrom('organizations').selectAll().execute()),
    ).toEqual([]);
  });

  it('of a document changes only its members, and their roles in it', async () => {
    const service = await withUser();
    const target = { organizationId, documentId: 'd1' };
    await service.call('/v2/users/add', {
      ...target,
      createDocument: true,
      users: [{ userId: 'u2' }],
    });
    const users = ['u1', 'u2'].map((userId) => ({ userId, accessRole: 'viewer' }));
    const { body } = await service.call('/v2/users/update', { ...target, users });
    expect(outcomes(body.result?.data)).toEqual([
      ['u1', false],
      ['u2', true],
    ]);
    expect(await readRoles(service)).toEqual(['document u2 viewer', 'organization u1 null']);
  });

  it('of an unknown document or folder is rejected', async () => {
    const { call } = await withUser();
    const users = [{ userId: 'u1' }];
    const refusals = await Promise.all(
      [{ documentId: 'no' }, { folderId: 'no' }].map((target) =>
        call(UPDATE, { organizationId, ...target, users }),
      ),
    );
    expect(refusals.map(({ body }) => body.error?.message)).toEqual([
      'Document not found.',
      'Folder not found.',
    ]);
  });

  it('updates more users than fit in one statement', async () => {
    const service = await startTestService();
    const users = Array.from({ length: 250 }, (_, n) => ({ userId: `u${n}` }));
    await service.call('/v1/users/add', { organizationId, users: users.slice(0, 240) });
    const { body } = await service.call(UPDATE, { organizationId, users });
    expect(outcomes(body.result?.data).filter(([, success]) => success)).toHaveLength(240);
  });
});
