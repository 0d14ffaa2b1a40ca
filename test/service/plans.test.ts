import { CompiledQuery } from 'kysely';
import { describe, expect, it } from 'vitest';
import { stateSchema } from '../../src/catalog/state.ts';
import { importState } from '../../src/service/state/transfer.ts';
import type { DirectAdapter } from '../../src/service/store/prepared-query.ts';
import { isPostgres } from './store-location.ts';
import { startTestService, type TestService } from './test-service.ts';

/** Returns the plans of the selects that `work` runs in SQLite, by their table. */
async function plansOf(
  { store }: TestService,
  work: () => Promise<unknown>,
): Promise<ReadonlyMap<string, string>> {
  const adapter = (await store.read(
    async (database) => database.getExecutor().adapter,
  )) as DirectAdapter;
  const selects: [string, readonly unknown[]][] = [];
  const { rows } = adapter;
  const capture: DirectAdapter['rows'] = (text, values) => {
    if (text.startsWith('select')) selects.push([text, values]);
    return rows(text, values);
  };
  Object.assign(adapter, { rows: capture });
  await work();
  Object.assign(adapter, { rows });
  return store.read(async (database) => {
    const plans = new Map<string, string>();
    for (const [text, values] of selects) {
      const query = CompiledQuery.raw(`explain query plan ${text}`, [...values]);
      const lines = (await database.executeQuery<{ detail: string }>(query)).rows.map(
        ({ detail }) => detail,
      );
      plans.set(/from "(\w+)"/.exec(text)?.[1] ?? '', lines.join('\n'));
    }
    return plans;
  });
}

const organizationId = 'acme';

describe.skipIf(isPostgres)('a query in a store without statistics', () => {
  it('looks up documents by ID, not in the order of adding', async () => {
    const service = await startTestService();
    await service.call('/v1/organizations/documents/add', {
      organizationId,
      documents: [{ documentId: 'd1' }],
    });
    const list = { organizationId, documentIds: ['d1', 'd2'] };
    const plans = await plansOf(service, () =>
      service.call('/v2/organizations/documents/get', list),
    );
    expect(plans.get('documents')).toContain('(organization=? AND documentId=?)');
  });

  it('looks up imported documents by ID', async () => {
    const service = await startTestService();
    const { store, credentials, clock } = service;
    const target = { store, apiKey: credentials.apiKey, now: clock.now(), dryRun: false };
    const documents = Array.from({ length: 100 }, (_, at) => ({
      organizationId,
      documentId: `d${at}`,
    }));
    const plans = await plansOf(service, () =>
      importState(target, stateSchema.parse({ documents })),
    );
    expect(plans.get('documents')).toContain('(organization=? AND documentId=?)');
  });

  it('finds the participants of an item, which each deletion of an item checks', async () => {
    const { store } = await startTestService();
    const plan = await store.read((database) =>
      database.executeQuery<{ detail: string }>(
        CompiledQuery.raw('explain query plan select 1 from participants where item = 1'),
      ),
    );
    expect(plan.rows[0]?.detail).toContain('INDEX participantsByItem (item=?)');
  });

  it('looks up the memberships of users to check their access', async () => {
    const service = await startTestService();
    await service.call('/v1/organizations/documents/add', {
      organizationId,
      documents: [{ documentId: 'd1' }],
    });
    const users = {
      notifyUsers: [{ userId: 'u1' }, { userId: 'u2' }],
      notifyAll: false,
      verifyUserPermissions: true,
    };
    const texts = {
      displayHeadlineMessageTemplate: 'Hello',
      displayBodyMessage: 'World',
      actionUser: { userId: 'u0' },
    };
    const add = { organizationId, documentId: 'd1', ...users, ...texts };
    const plans = await plansOf(service, () => service.call('/v2/notifications/add', add));
    expect(plans.get('members')).toContain(
      '(organization=? AND level=? AND resourceId=? AND userId=?)',
    );
  });
});
