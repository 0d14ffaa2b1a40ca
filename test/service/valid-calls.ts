import { loadOperation, type OperationName } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import type { TestService } from './test-service.ts';

const ACME = { organizationId: 'acme' };
const DOCUMENT = { ...ACME, documentId: 'd1' };

/** Calls that create the data required by the samples. */
const PREREQUISITES = [
  ['/v2/organizations/add', { organizations: [ACME] }],
  ['/v1/organizations/documents/add', { ...ACME, documents: [{ documentId: 'd1' }] }],
  ['/v2/organizations/folders/add', { ...ACME, folders: [{ folderId: 'f1' }] }],
  ['/v1/users/add', { ...ACME, users: [{ userId: 'u1' }] }],
  ['/v2/organizations/usergroups/add', { ...ACME, organizationUserGroups: [{ groupId: 'g1' }] }],
  [
    '/v2/activities/add',
    {
      ...DOCUMENT,
      activities: [
        { id: 'a1', featureType: 'comment', actionType: 'x', actionUser: { userId: 'u1' } },
      ],
    },
  ],
  ['/v2/crdt/add', { ...DOCUMENT, editorId: 'map', type: 'map', data: {} }],
  ['/v2/workspace/advancedwebhookconfig/update', { isEnabled: true }],
] as const;

/**
 * Returns the sample of each operation, a valid call with all its fields. Creates the data that the
 * samples require.
 */
export async function createValidCalls(
  service: TestService,
): Promise<Readonly<Record<OperationName, object>>> {
  const { call, credentials } = service;
  const { apiKey } = credentials;
  for (const [path, data] of PREREQUISITES) await call(path, data);
  const created = await call('/v2/workspace/advancedwebhook/endpoints/create', {
    url: 'https://example.com/hook',
  });
  const last = new Map([
    ['id', created.body.result?.data.id],
    ['migrationId', 'm1'],
  ]);
  await service.store.write(async (database) => {
    await database
      .insertInto('agents')
      .values({ apiKey, agentId: 'custom-1', agent: '{"id":"custom-1"}' })
      .execute();
    await database
      .insertInto('agentGroups')
      .values({ apiKey, groupId: 'ag1', agentIds: '["custom-1"]', agentGroup: '{}' })
      .execute();
    const migration = { ...DOCUMENT, newDocumentId: 'd2', migrationId: 'm1', apiKey, createdAt: 0 };
    await database
      .insertInto('documentMigrations')
      .values({ ...migration, status: 'failed' })
      .execute();
  });
  const known = { apiKey, last: (field: string) => last.get(field) ?? '' };
  const calls = manifest.map(async ({ resource, name }) => {
    const { sample } = await loadOperation(resource, name);
    return [name, sample(known)] as const;
  });
  return Object.fromEntries(await Promise.all(calls)) as Record<OperationName, object>;
}
