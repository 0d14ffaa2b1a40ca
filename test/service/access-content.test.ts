import { expect, it } from 'vitest';
import { createStoreSource } from '../../src/settings/plan/access/store-source.ts';
import { SLOW } from '../slow.ts';
import { startTestService } from './test-service.ts';

const MEMBERS_PER_PAGE = 10_000;

it('reads the folders, documents, and members that determine access, in pages', SLOW, async () => {
  const service = await startTestService();
  const { store, credentials } = service;
  const org = { organizationId: 'acme' };
  const call = async (path: string, data: object) => {
    expect((await service.call(path, { ...org, ...data })).http).toBe(200);
  };
  await call('/v2/organizations/folders/add', {
    createOrganization: true,
    folders: [{ folderId: 'plans' }, { folderId: 'vault', accessType: 'restricted' }],
  });
  await call('/v2/organizations/documents/add', {
    folderId: 'plans',
    documents: [{ documentId: 'd1' }],
  });
  const users = Array.from({ length: MEMBERS_PER_PAGE + 1 }, (_, at) => ({ userId: `u${at}` }));
  for (let at = 0; at < users.length; at += 1_000)
    await call('/v2/users/add', { users: users.slice(at, at + 1_000) });
  await call('/v2/users/add', {
    folderId: 'plans',
    users: [{ userId: 'u7', accessRole: 'viewer' }],
  });
  await store.read(async (database) => {
    const source = createStoreSource(database, credentials.apiKey);
    expect(await source.readContent('beta')).toBeUndefined();
    const content = await source.readContent('acme');
    expect([...(content?.folders.values() ?? [])]).toMatchObject([
      { folderId: 'plans', parentFolderId: 'root', inheritAccessFromParent: true },
      { folderId: 'vault', accessType: 'restricted', inheritAccessFromParent: false },
    ]);
    expect([...(content?.documents ?? [])]).toEqual([
      { documentId: 'd1', folderId: 'plans', accessType: 'public', disabled: false },
    ]);
    const members = await source.readMembers('acme', () => true);
    expect(members.size).toBe(users.length);
    expect([...(members.get('u7')?.values() ?? [])]).toEqual([
      { level: 'folder', id: 'plans', role: 'viewer', expiresAt: null },
      { level: 'organization', id: '', role: 'editor', expiresAt: null },
    ]);
  });
});
