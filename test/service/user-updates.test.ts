import { describe, expect, it } from 'vitest';
import { serviceWorld, type World } from './world.ts';

const organizationId = 'acme';

const usersOf = ({ store }: World) =>
  store.read((database) => database.selectFrom('users').select(['userId', 'name', 'email', 'initial']).execute());

const rolesOf = async ({ store }: World) => {
  const members = await store.read((database) => database.selectFrom('members').selectAll().orderBy('level').execute());
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
  ])('creates only what it is told to: %j', async (place, message) => {
    const { call, store } = await serviceWorld();
    const { http, body } = await call(ADD, { organizationId, ...place, users });
    expect([http, body.error]).toEqual([400, { status: 'INVALID_ARGUMENT', message }]);
    const organizations = await store.read((database) => database.selectFrom('organizations').selectAll().execute());
    expect(organizations, 'nothing is left behind').toEqual([]);
  });

  it('creates the document or folder where it is told to, once', async () => {
    const world = await serviceWorld();
    for (let times = 0; times < 2; times++) {
      const create = { organizationId, createOrganization: true, createDocument: true, createFolder: true, users };
      expect((await world.call(ADD, { ...create, documentId: 'd1' })).http).toBe(200);
      expect((await world.call(ADD, { ...create, folderId: 'f1' })).http).toBe(200);
    }
    const documents = await world.call('/v2/organizations/documents/get', { organizationId });
    expect(documents.body.result?.data).toEqual([{ id: 'd1', disabled: false, accessType: 'public' }]);
    const folders = await world.call('/v2/organizations/folders/get', { organizationId });
    expect(folders.body.result?.data).toMatchObject([{ folderId: 'f1', parentFolderId: 'root', ancestors: ['root'] }]);
    expect(await rolesOf(world)).toEqual(['document u1 null', 'folder u1 null']);
  });

  it('keeps the name of a folder that exists', async () => {
    const { call } = await serviceWorld();
    const folders = [{ folderId: 'f1', folderName: 'Plans' }];
    await call('/v2/organizations/folders/add', { organizationId, createOrganization: true, folders });
    await call(ADD, { organizationId, folderId: 'f1', createFolder: true, users });
    const { body } = await call('/v2/organizations/folders/get', { organizationId });
    expect(body.result?.data).toMatchObject([{ folderId: 'f1', folderName: 'Plans' }]);
  });

  it('gives a role, which adding again without one does not take away', async () => {
    const world = await serviceWorld();
    const add = (path: string, user: object) =>
      world.call(path, { organizationId, createOrganization: true, users: [{ userId: 'u1', ...user }] });
    await add(ADD, { accessRole: 'viewer' });
    await add(ADD, {});
    await add('/v1/users/add', {});
    expect(await rolesOf(world)).toEqual(['organization u1 viewer']);
    await add(ADD, { accessRole: 'editor' });
    expect(await rolesOf(world)).toEqual(['organization u1 editor']);
  });
});

describe('updating users', () => {
  const UPDATE = '/v1/users/update';

  async function withUser(): Promise<World> {
    const world = await serviceWorld();
    const users = [{ userId: 'u1', name: 'Ada', email: 'ada@example.com' }];
    await world.call('/v1/users/add', { organizationId, users });
    return world;
  }

  it('changes what is given, and adds nobody', async () => {
    const world = await withUser();
    const { body } = await world.call(UPDATE, {
      organizationId,
      users: [{ userId: '__proto__' }, { userId: 'u1', name: 'Grace' }],
    });
    expect(outcomes(body.result?.data)).toEqual([
      ['__proto__', false],
      ['u1', true],
    ]);
    expect(await usersOf(world)).toEqual([{ userId: 'u1', name: 'Grace', email: 'ada@example.com', initial: 'G' }]);
  });

  it('finds nobody in an organization that does not exist, and does not create it', async () => {
    const { call, store } = await serviceWorld();
    const { body } = await call(UPDATE, { organizationId: 'no', documentId: 'd1', users: [{ userId: 'u1' }] });
    expect(outcomes(body.result?.data)).toEqual([['u1', false]]);
    expect(await store.read((database) => database.selectFrom('organizations').selectAll().execute())).toEqual([]);
  });

  it('of a document finds its own members alone, and gives them roles there', async () => {
    const world = await withUser();
    const place = { organizationId, documentId: 'd1' };
    await world.call('/v2/users/add', { ...place, createDocument: true, users: [{ userId: 'u2' }] });
    const users = ['u1', 'u2'].map((userId) => ({ userId, accessRole: 'viewer' }));
    const { body } = await world.call('/v2/users/update', { ...place, users });
    expect(outcomes(body.result?.data)).toEqual([
      ['u1', false],
      ['u2', true],
    ]);
    expect(await rolesOf(world)).toEqual(['document u2 viewer', 'organization u1 null']);
  });

  it('of an unknown document or folder is refused', async () => {
    const { call } = await withUser();
    const users = [{ userId: 'u1' }];
    const refusals = await Promise.all(
      [{ documentId: 'no' }, { folderId: 'no' }].map((place) => call(UPDATE, { organizationId, ...place, users })),
    );
    expect(refusals.map(({ body }) => body.error?.message)).toEqual(['Document not found.', 'Folder not found.']);
  });

  it('updates more users than one statement writes', async () => {
    const world = await serviceWorld();
    const users = Array.from({ length: 250 }, (_, n) => ({ userId: `u${n}` }));
    await world.call('/v1/users/add', { organizationId, users: users.slice(0, 240) });
    const { body } = await world.call(UPDATE, { organizationId, users });
    expect(outcomes(body.result?.data).filter(([, success]) => success)).toHaveLength(240);
  });
});
