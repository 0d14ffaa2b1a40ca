import { describe, expect, it } from 'vitest';
import { serviceWorld, type World } from './world.ts';

const ADD = '/v2/organizations/folders/add';
const GET = '/v2/organizations/folders/get';
const UPDATE = '/v2/organizations/folders/update';
const organizationId = 'acme';

/** root > a > b > c, and root > z; b is restricted, the others inherit. */
async function withFolders(): Promise<World> {
  const world = await serviceWorld();
  const folders = [
    { folderId: 'a', folderName: 'A' },
    { folderId: 'b', parentFolderId: 'a', accessType: 'restricted' },
    { folderId: 'c', parentFolderId: 'b' },
    { folderId: 'z', parentFolderId: 'root', accessType: 'organizationPrivate' },
  ];
  await world.call(ADD, { organizationId, createOrganization: true, folders });
  return world;
}

interface Shown {
  readonly folderId: string;
  readonly accessType: string;
  readonly ancestors: readonly string[];
  readonly subFolders?: readonly Shown[];
}

/** `a[b[c]]`; a folder at the limit, whose subfolders were not looked for, is `a`. */
const drawn = ({ folderId, subFolders }: Shown): string =>
  subFolders ? `${folderId}[${subFolders.map(drawn).join(',')}]` : folderId;

const placesOf = async ({ call }: World) => {
  const { body } = await call(GET, { organizationId });
  const shown: readonly Shown[] = body.result?.data;
  return Object.fromEntries(
    shown.map((folder) => [folder.folderId, `${folder.ancestors.join('/')} ${folder.accessType}`]),
  );
};

describe('reading folders', () => {
  it.each([
    [{ folderId: 'a' }, 'a[b]'],
    [{ folderId: 'a', maxDepth: 2 }, 'a[b[c]]'],
    [{ folderId: 'a', maxDepth: 3 }, 'a[b[c[]]]'],
    [{ folderId: 'c' }, 'c[]'],
  ])('%j gives %s', async (query, expected) => {
    const { call } = await withFolders();
    const { body } = await call(GET, { organizationId, ...query });
    expect(body.result?.data.map(drawn)).toEqual([expected]);
  });

  it.each([0, -1, 1.5, '2'])('refuses maxDepth %j', async (maxDepth) => {
    const { call } = await withFolders();
    const { body } = await call(GET, { organizationId, folderId: 'a', maxDepth });
    expect(body.error).toMatchObject({ status: 'INVALID_ARGUMENT', message: expect.stringMatching(/^maxDepth: /) });
  });

  it.each([GET, '/v1/organizations/folders/get'])('%s does not find an unknown folder', async (path) => {
    const { call } = await withFolders();
    const missing = { http: 404, body: { error: { status: 'NOT_FOUND', message: 'Folder not found.' } } };
    expect(await call(path, { organizationId, folderId: 'no' })).toEqual(missing);
    expect(await call(path, { organizationId: 'no', folderId: 'a' })).toEqual(missing);
  });

  it('finds none in an organization that does not exist', async () => {
    const { call } = await serviceWorld();
    expect((await call(GET, { organizationId: 'no' })).body.result?.data).toEqual([]);
  });
});

describe('adding folders', () => {
  it('inherits access unless given its own', async () => {
    expect(await placesOf(await withFolders())).toEqual({
      a: 'root public',
      b: 'root/a restricted',
      c: 'root/a/b restricted',
      z: 'root organizationPrivate',
    });
  });

  it('fails item by item', async () => {
    const { call } = await withFolders();
    const folders = [
      { folderId: 'a' },
      { folderId: 'x', parentFolderId: 'no' },
      { folderId: 'y', parentFolderId: 'x' },
      { folderId: 'root' },
      { folderId: 'ok' },
      { folderId: 'ok', parentFolderId: 'ok' },
    ];
    const { http, body } = await call(ADD, { organizationId, folders });
    expect(http).toBe(200);
    const exists = { success: false, message: 'Folder already exists', code: 'already-exists' };
    const orphan = { success: false, message: 'Parent folder not found.', code: 'not-found' };
    expect(body.result?.data).toEqual({
      a: exists,
      x: orphan,
      y: orphan,
      root: exists,
      ok: { success: true, id: 'ok', message: 'Folder added.' },
    });
  });

  it('creates the organization only when asked', async () => {
    const { call } = await serviceWorld();
    const { http, body } = await call(ADD, { organizationId: 'no', folders: [{ folderId: 'a' }] });
    expect([http, body.error]).toEqual([400, { status: 'INVALID_ARGUMENT', message: 'Organization not found.' }]);
  });
});

describe('updating folders', () => {
  it('renames without moving', async () => {
    const world = await withFolders();
    world.clock.time += 1_000;
    await world.call(UPDATE, { organizationId, folders: [{ folderId: 'b', folderName: 'New' }] });
    const { body } = await world.call(GET, { organizationId, folderId: 'b' });
    const [folder] = body.result?.data ?? [];
    expect(folder).toMatchObject({ folderName: 'New', parentFolderId: 'a', lastUpdated: folder.createdAt + 1_000 });
  });

  it('moves a folder with everything in it; access follows where it is inherited', async () => {
    const world = await withFolders();
    await world.call(UPDATE, { organizationId, folders: [{ folderId: 'a', parentFolderId: 'z' }] });
    expect(await placesOf(world)).toEqual({
      z: 'root organizationPrivate',
      a: 'root/z organizationPrivate',
      b: 'root/z/a restricted',
      c: 'root/z/a/b restricted',
    });
    await world.call(UPDATE, { organizationId, folders: [{ folderId: 'c', parentFolderId: 'root' }] });
    expect(await placesOf(world)).toMatchObject({ c: 'root public' });
  });

  it('fails item by item, and leaves what failed as it was', async () => {
    const world = await withFolders();
    const folders = [
      { folderId: 'no', folderName: 'X' },
      { folderId: 'a', parentFolderId: 'a' },
      { folderId: 'b', parentFolderId: 'c', folderName: 'X' },
      { folderId: 'c', parentFolderId: 'no' },
      { folderId: 'z', parentFolderId: 'c' },
    ];
    const before = await placesOf(world);
    const { http, body } = await world.call(UPDATE, { organizationId, folders });
    expect(http).toBe(200);
    const inside = { success: false, message: 'A folder cannot move into itself.' };
    expect(body.result?.data).toEqual({
      no: { success: false, message: 'Folder not found.', code: 'not-found' },
      a: inside,
      b: inside,
      c: { success: false, message: 'Parent folder not found.', code: 'not-found' },
      z: { success: true, id: 'z', message: 'Folder Updated.' },
    });
    expect(await placesOf(world)).toEqual({ ...before, z: 'root/a/b/c organizationPrivate' });
    const renamed = await world.call(GET, { organizationId, folderId: 'b' });
    expect(renamed.body.result?.data[0]).not.toHaveProperty('folderName');
  });
});
