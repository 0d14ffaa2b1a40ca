import { describe, expect, it } from 'vitest';
import { startTestService, type TestService } from './test-service.ts';

const ADD = '/v2/organizations/folders/add';
const GET = '/v2/organizations/folders/get';
const UPDATE = '/v2/organizations/folders/update';
const organizationId = 'acme';

/**
 * Starts a service with the folders root > a > b > c and root > z. Folder b is restricted, the
 * others inherit.
 */
async function startWithFolders(): Promise<TestService> {
  const service = await startTestService();
  const folders = [
    { folderId: 'a', folderName: 'A' },
    { folderId: 'b', parentFolderId: 'a', accessType: 'restricted' },
    { folderId: 'c', parentFolderId: 'b' },
    { folderId: 'z', parentFolderId: 'root', accessType: 'organizationPrivate' },
  ];
  await service.call(ADD, { organizationId, createOrganization: true, folders });
  return service;
}

interface NestedFolder {
  readonly folderId: string;
  readonly accessType: string;
  readonly ancestors: readonly string[];
  readonly subFolders?: readonly NestedFolder[];
}

/** Formats a tree as `a[b[c]]`. A folder at the depth limit, without `subFolders`, is `a`. */
const formatTree = ({ folderId, subFolders }: NestedFolder): string =>
  subFolders ? `${folderId}[${subFolders.map(formatTree).join(',')}]` : folderId;

const readPositions = async ({ call }: TestService) => {
  const { body } = await call(GET, { organizationId });
  const received: readonly NestedFolder[] = body.result?.data;
  return Object.fromEntries(
    received.map((folder) => [
      folder.folderId,
      `${folder.ancestors.join('/')} ${folder.accessType}`,
    ]),
  );
};

describe('reading folders', () => {
  it.each([
    [{ folderId: 'a' }, 'a[b]'],
    [{ folderId: 'a', maxDepth: 2 }, 'a[b[c]]'],
    [{ folderId: 'a', maxDepth: 3 }, 'a[b[c[]]]'],
    [{ folderId: 'c' }, 'c[]'],
  ])('%j returns %s', async (query, expected) => {
    const { call } = await startWithFolders();
    const { body } = await call(GET, { organizationId, ...query });
    expect(body.result?.data.map(formatTree)).toEqual([expected]);
  });

  it.each([0, -1, 1.5, '2'])('rejects maxDepth %j', async (maxDepth) => {
    const { call } = await startWithFolders();
    const { body } = await call(GET, { organizationId, folderId: 'a', maxDepth });
    expect(body.error).toMatchObject({
      status: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^maxDepth: /),
    });
  });

  it.each([GET, '/v1/organizations/folders/get'])(
    '%s returns NOT_FOUND for an unknown folder',
    async (path) => {
      const { call } = await startWithFolders();
      const missing = {
        http: 404,
        body: { error: { status: 'NOT_FOUND', message: 'Folder not found.' } },
      };
      expect(await call(path, { organizationId, folderId: 'no' })).toEqual(missing);
      expect(await call(path, { organizationId: 'no', folderId: 'a' })).toEqual(missing);
    },
  );

  it('returns an empty list for an organization that does not exist', async () => {
    const { call } = await startTestService();
    expect((await call(GET, { organizationId: 'no' })).body.result?.data).toEqual([]);
  });
});

describe('adding folders', () => {
  it('inherits access unless the folder has its own', async () => {
    expect(await readPositions(await startWithFolders())).toEqual({
      a: 'root public',
      b: 'root/a restricted',
      c: 'root/a/b restricted',
      z: 'root organizationPrivate',
    });
  });

  it('reports failures per folder', async () => {
    const { call } = await startWithFolders();
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

  it('creates the organization only if requested', async () => {
    const { call } = await startTestService();
    const { http, body } = await call(ADD, { organizationId: 'no', folders: [{ folderId: 'a' }] });
    expect([http, body.error]).toEqual([
      400,
      { status: 'INVALID_ARGUMENT', message: 'Organization not found.' },
    ]);
  });
});

describe('updating folders', () => {
  it('renames without moving', async () => {
    const service = await startWithFolders();
    service.clock.time += 1_000;
    await service.call(UPDATE, { organizationId, folders: [{ folderId: 'b', folderName: 'New' }] });
    const { body } = await service.call(GET, { organizationId, folderId: 'b' });
    const [folder] = body.result?.data ?? [];
    expect(folder).toMatchObject({
      folderName: 'New',
      parentFolderId: 'a',
      lastUpdated: folder.createdAt + 1_000,
    });
  });

  it('moves a folder with its subfolders, and updates inherited access', async () => {
    const service = await startWithFolders();
    await service.call(UPDATE, {
      organizationId,
      folders: [{ folderId: 'a', parentFolderId: 'z' }],
    });
    expect(await readPositions(service)).toEqual({
      z: 'root organizationPrivate',
      a: 'root/z organizationPrivate',
      b: 'root/z/a restricted',
      c: 'root/z/a/b restricted',
    });
    await service.call(UPDATE, {
      organizationId,
      folders: [{ folderId: 'c', parentFolderId: 'root' }],
    });
    expect(await readPositions(service)).toMatchObject({ c: 'root public' });
  });

  it('reports failures per folder, and leaves failed folders unchanged', async () => {
    const service = await startWithFolders();
    const folders = [
      { folderId: 'no', folderName: 'X' },
      { folderId: 'a', parentFolderId: 'a' },
      { folderId: 'b', parentFolderId: 'c', folderName: 'X' },
      { folderId: 'c', parentFolderId: 'no' },
      { folderId: 'z', parentFolderId: 'c' },
    ];
    const before = await readPositions(service);
    const { http, body } = await service.call(UPDATE, { organizationId, folders });
    expect(http).toBe(200);
    const inside = {
      success: false,
      message: 'A folder cannot be moved into itself or one of its subfolders.',
    };
    expect(body.result?.data).toEqual({
      no: { success: false, message: 'Folder not found.', code: 'not-found' },
      a: inside,
      b: inside,
      c: { success: false, message: 'Parent folder not found.', code: 'not-found' },
      z: { success: true, id: 'z', message: 'Folder Updated.' },
    });
    expect(await readPositions(service)).toEqual({
      ...before,
      z: 'root/a/b/c organizationPrivate',
    });
    const renamed = await service.call(GET, { organizationId, folderId: 'b' });
    expect(renamed.body.result?.data[0]).not.toHaveProperty('folderName');
  });
});

describe('the access type of a new folder', () => {
  it('is one of the known ones, although a client may send others', async () => {
    const service = await startTestService();
    const folders = [{ folderId: 'f1' }, { folderId: 'f2', accessType: 'secret' }];
    const { body } = await service.call(ADD, { organizationId, createOrganization: true, folders });
    expect(body.error).toEqual({
      status: 'INVALID_ARGUMENT',
      message: expect.stringMatching(
        /^folders\[1\]\.accessType: must be one of public, restricted/,
      ),
      details: expect.anything(),
    });
    expect(await readPositions(service)).toEqual({});
  });
});
