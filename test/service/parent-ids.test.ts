import { describe, expect, it } from 'vitest';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { findMissingParents } from '../../src/service/records/parent-ids.ts';
import { SLOW } from '../slow.ts';
import { startTestService } from './test-service.ts';
import { createValidCalls } from './valid-calls.ts';

const organization = (id: string) => ({ kind: 'organization', id, organizationId: id }) as const;
const user = (id: string, organizationId: string) =>
  ({ kind: 'user', id, organizationId }) as const;

describe('findMissingParents', () => {
  it('finds missing organizations and users of the API key, with the existing IDs', async () => {
    const { call, store, credentials } = await startTestService();
    await call('/v1/users/add', {
      organizationId: 'acme',
      users: [{ userId: 'ada' }, { userId: 'bo' }],
    });
    await call('/v1/users/add', { organizationId: 'globex', users: [{ userId: 'cy' }] });
    const asked = [
      organization('acme'),
      organization('acmee'),
      user('ada', 'acme'),
      user('cy', 'acme'),
      user('cy', 'no'),
    ];
    const found = await store.read((database) =>
      findMissingParents(database, credentials.apiKey, asked),
    );
    const missing = found.map(({ kind, id, others }) => [kind, id, [...others].sort()]);
    expect(missing).toEqual([
      ['organization', 'acmee', ['acme', 'globex']],
      ['user', 'cy', ['ada', 'bo']],
      ['user', 'cy', []],
    ]);
    const other = await store.read((database) =>
      findMissingParents(database, 'another key', [organization('acme')]),
    );
    expect(other).toEqual([{ ...organization('acme'), others: [] }]);
  });

  it('finds the organizations that exactly the declared operations create', SLOW, async () => {
    const service = await startTestService();
    const calls = await createValidCalls(service);
    const created: string[] = [];
    for (const { name, resource, path } of manifest) {
      // The call names a new organization, and asks for nothing to be created. Documents and
      // folders don't exist either.
      const {
        createOrganization: _,
        documentId,
        folderId,
        ...call
      }: Record<string, unknown> = { ...calls[name] };
      const isOptional = (field: string) =>
        (
          loaded.input.shape[field] as
            | { safeParse(value: unknown): { success: boolean } }
            | undefined
        )?.safeParse(undefined).success;
      const loaded = await loadOperation(resource, name);
      const data = {
        ...call,
        ...(documentId !== undefined && !isOptional('documentId') && { documentId }),
        ...(folderId !== undefined && !isOptional('folderId') && { folderId }),
        ...(call['organizationId'] !== undefined && { organizationId: `org of ${name}` }),
        ...(name === 'permissions.add' && {
          permissions: { resources: [{ type: 'organization', id: `org of ${name}` }] },
        }),
      };
      if (name.startsWith('auth-tokens')) continue;
      await service.call(path, data);
      const asked = [organization(`org of ${name}`)];
      const missing = await service.store.read((database) =>
        findMissingParents(database, service.credentials.apiKey, asked),
      );
      if (missing.length === 0) created.push(name);
    }
    const declared = manifest
      .filter(({ createsParents }) => createsParents)
      .map(({ name }) => name)
      // Creates the organization only on request, which svc sends by default.
      .filter((name) => name !== 'users.add.v2');
    expect(created.sort()).toEqual(declared.sort());
  });
});
