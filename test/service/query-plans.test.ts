import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it, vi } from 'vitest';
import { createReader } from '../../src/service/local/reading/reader.ts';
import { createDevelopmentState } from '../../src/service/local/state.ts';
import { decideAccess } from '../../src/service/records/document-access.ts';
import { closeIdleStores, isPostgres } from './store-location.ts';
import { startTestService, type TestService } from './test-service.ts';

// A store prepares each statement only once.
beforeEach(closeIdleStores);

/** Returns the plans of the statements on `members` that `work` prepares. */
async function planOf(
  { path }: TestService,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const statements: string[] = [];
  const { prepare } = DatabaseSync.prototype;
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
    this: DatabaseSync,
    text,
    ...rest
  ) {
    statements.push(text);
    return prepare.call(this, text, ...rest);
  });
  await work().finally(() => spy.mockRestore());
  const database = new DatabaseSync(path);
  const selected = statements.filter((text) => text.includes('from "members"'));
  const plans = selected.flatMap((text) => database.prepare(`explain query plan ${text}`).all());
  database.close();
  return plans.map(({ detail }) => String(detail));
}

const MEMBERS = 'SEARCH members USING INDEX sqlite_autoindex_members_1';

it.skipIf(isPostgres)(
  'the memberships of a document are found without reading all members',
  async () => {
    const service = await startTestService();
    const userIds = Array.from({ length: 100 }, (_, at) => `u${at}`);
    const path = (['document', 'folder', 'organization'] as const).map((level) => ({
      level,
      id: level,
      accessType: 'public',
    }));
    const plan = await planOf(service, () =>
      service.store.read((database) =>
        decideAccess(database, { organization: 1, userIds, now: 0 }, { disabled: false, path }),
      ),
    );
    expect(plan[0]).toBe(`${MEMBERS} (organization=? AND level=? AND resourceId=? AND userId=?)`);
  },
);

it.skipIf(isPostgres).each(['members', 'permissions'] as const)(
  'a list of %s is read in the order of an index',
  async (kind) => {
    const service = await startTestService();
    const { store, clock, credentials } = service;
    await service.call('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
    const development = createDevelopmentState(store);
    const context = { store, development, realClock: clock, apiKey: credentials.apiKey };
    const reader = createReader({ ...context, commandOf: (words) => words.join(' ') });
    const plan = await planOf(service, () => reader.list(kind, { organization: 'acme' }));
    const columns =
      kind === 'members' ? 'organization=? AND level=? AND resourceId=?' : 'organization=?';
    expect(plan).toEqual([`${MEMBERS} (${columns})`]);
  },
);
