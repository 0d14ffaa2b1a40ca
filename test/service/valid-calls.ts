import { loadOperation, type OperationName } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { createSampleState } from '../../src/contract/sample-state.ts';
import { importState } from '../../src/service/state/transfer.ts';
import type { TestService } from './test-service.ts';

/**
 * Returns the sample of each operation, a valid call with all its fields. Creates the data that the
 * samples require.
 */
export async function createValidCalls({
  store,
  clock,
  credentials: { apiKey },
}: TestService): Promise<Readonly<Record<OperationName, object>>> {
  await importState({ store, apiKey, now: clock.now(), dryRun: false }, createSampleState());
  await store.write(async (database) => {
    await database
      .insertInto('documentMigrations')
      .values({
        organizationId: 'acme',
        documentId: 'd1',
        newDocumentId: 'd2',
        migrationId: 'm1',
        apiKey,
        createdAt: 0,
        status: 'failed',
      })
      .execute();
  });
  const known = { apiKey, last: () => 'm1' };
  const calls = manifest.map(async ({ resource, name }) => {
    const { sample } = await loadOperation(resource, name);
    return [name, sample(known)] as const;
  });
  return Object.fromEntries(await Promise.all(calls)) as Record<OperationName, object>;
}
